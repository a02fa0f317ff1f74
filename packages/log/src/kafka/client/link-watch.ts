import type { Socket } from 'node:net';
import { connectionClosed, linkFailureOf, noAnswer } from './link-failure.ts';
import type { KafkaOutageLog } from './outage-log.ts';

/** What a broker answers whoever asks: SaslHandshake, ApiVersions, SaslAuthenticate. */
const beforeLogin = new Set([17, 18, 36]);
/** A request is its size, four bytes, and then its number. */
const apiKeyAt = 4;

/** Tells whether the broker behind this connection serves the client, and why not. */
export function watchLink(
  socket: Socket,
  broker: string,
  outages: Pick<KafkaOutageLog, 'failed' | 'answered'>,
): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let connected = false;
  let told = false;
  /** A request that only a client is served with waits for its answer. */
  let asked = false;
  socket.write = (...args: unknown[]): boolean => {
    const [request] = args;
    if (Buffer.isBuffer(request) && request.length >= apiKeyAt + 2)
      asked ||= !beforeLogin.has(request.readInt16BE(apiKeyAt));
    return write(...args);
  };
  socket.once('connect', () => {
    connected = true;
  });
  socket.on('data', () => {
    if (asked) outages.answered(broker);
    asked = false;
  });
  socket.on('error', (error) => {
    told = true;
    outages.failed(broker, linkFailureOf(error));
  });
  // Before kafkajs ends its own side, after which the closing says nothing.
  socket.on('end', () => {
    if (asked) outages.failed(broker, connectionClosed);
  });
  socket.on('close', () => {
    if (!connected && !told) outages.failed(broker, noAnswer);
  });
}
