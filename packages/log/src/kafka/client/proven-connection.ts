import { connect, Socket } from 'node:net';

/** ApiVersions (18), version 0, correlation 0, no client id: every broker answers it, before any authentication. */
const question = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

/**
 * Connects to a broker once it has answered a question on a connection of its own.
 *
 * The kernel takes connections for a process that hangs, and kafkajs, which knows the versions of a broker from before,
 * asks nothing until it needs something: it would take the broker for a good one, again and again.
 *
 * @param onProven the broker has answered; what follows is an ordinary connection
 * @param proofMs how long it may take to; less than kafkajs waits for a connection, so that the error says what is wrong
 */
export function connectProven(
  to: { readonly host: string; readonly port: number },
  onConnect: () => void,
  onProven: () => void,
  proofMs = 2_500,
): Socket {
  const socket = new Socket();
  const isGivenUp = () => socket.destroyed || socket.writableEnded;
  const proof = connect(to, () => proof.write(question));
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
