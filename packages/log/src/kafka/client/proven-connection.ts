import { connect, Socket } from 'node:net';

/** ApiVersions (18), version 0, correlation 0, no client id: every broker answers it, even before authentication. */
const apiVersionsRequest = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

/**
 * Connects to a broker only after it has answered a request on a separate connection.
 *
 * The kernel accepts connections for a process that hangs, and kafkajs, which has cached the broker's API versions, sends
 * nothing until it needs something. It would therefore consider a hanging broker healthy, again and again.
 *
 * @param onProven called when the broker has answered and an ordinary connection follows
 * @param proofMs timeout of the answer; shorter than kafkajs' connection timeout, so that the error names the cause
 */
export function connectProven(
  to: { readonly host: string; readonly port: number },
  onConnect: () => void,
  onProven: () => void,
  proofMs = 2_500,
): Socket {
  const socket = new Socket();
  const isGivenUp = () => socket.destroyed || socket.writableEnded;
  const proof = connect(to, () => proof.write(apiVersionsRequest));
  proof.setTimeout(proofMs, () =>
    proof.destroy(new Error('the broker accepts connections but does not answer')),
  );
  proof.once('data', () => {
    onProven();
    if (!isGivenUp()) socket.connect(to, onConnect);
    proof.destroy();
  });
  proof.once('error', (error) => (isGivenUp() ? socket.destroy() : socket.destroy(error)));
  socket.once('close', () => proof.destroy());
  return socket;
}
