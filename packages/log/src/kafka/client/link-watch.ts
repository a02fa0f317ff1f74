import type { Socket } from 'node:net';
import { connectionClosed, linkFailureOf, noAnswer } from './link-failure.ts';
import type { KafkaOutageLog } from './outage-log.ts';

/** Requests that a broker answers before authentication: SaslHandshake, ApiVersions, SaslAuthenticate. */
const beforeLogin = new Set([17, 18, 36]);
/** A request starts with its size, four bytes, followed by its API key. */
const apiKeyAt = 4;

/** Reports to `outages` whether the broker on this connection serves the client, and if not, why. */
export function watchLink(
  socket: Socket,
  broker: string,
  outages: Pick<KafkaOutageLog, 'failed' | 'answered'>,
): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let connected = false;
  let isReported = false;
  /** Whether a request that requires authentication is waiting for its answer. */
  let isWaiting = false;
  socket.write = (...args: unknown[]): boolean => {
    const [request] = args;
    if (Buffer.isBuffer(request) && request.length >= apiKeyAt + 2)
      isWaiting ||= !beforeLogin.has(request.readInt16BE(apiKeyAt));
    return write(...args);
  };
  socket.once('connect', () => {
    connected = true;
  });
  socket.on('data', () => {
    if (isWaiting) outages.answered(broker);
    isWaiting = false;
  });
  socket.on('error', (error) => {
    isReported = true;
    outages.failed(broker, linkFailureOf(error));
  });
  // On `end`, not `close`: kafkajs then closes its side too, and `close` no longer shows which side was first.
  socket.on('end', () => {
    if (isWaiting) outages.failed(broker, connectionClosed);
  });
  socket.on('close', () => {
    if (!connected && !isReported) outages.failed(broker, noAnswer);
  });
}
