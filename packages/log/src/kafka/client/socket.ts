import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';
import { watchAnswers } from './answer-watch.ts';
import { watchLink } from './link-watch.ts';
import type { KafkaOutageLog } from './outage-log.ts';
import { connectProven } from './proven-connection.ts';

const keepAliveMs = 60_000;

/** Addresses where a connection was open but requests were not answered; at most one per broker. */
const suspects = new Set<string>();

/**
 * The connection kafkajs would make itself, with two differences. It is closed when requests are no longer answered, and the
 * broker then has to answer a probe before the next connection. And Nagle's algorithm is off, because it holds a small
 * request back until the previous response is acknowledged, which adds up to 40 ms of latency.
 */
export function createSocket(
  { host, port, ssl, onConnect }: ISocketFactoryArgs,
  outages?: KafkaOutageLog,
): Socket {
  // kafkajs passes on its own `ssl` option, although the type says otherwise.
  const tls = ssl as ConnectionOptions | boolean | null | undefined;
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const address = `${host}:${port}`;
  const connectPlain = () =>
    suspects.has(address)
      ? connectProven({ host, port }, onConnect, () => suspects.delete(address))
      : connect({ host, port }, onConnect);
  // A TLS handshake already proves that the broker answers.
  const socket =
    tls === undefined || tls === null || tls === false
      ? connectPlain()
      : connectTls({ host, port, ...servername, ...(tls === true ? {} : tls) }, onConnect);
  socket.setKeepAlive(true, keepAliveMs);
  socket.setNoDelay(true);
  watchAnswers(socket, () => suspects.add(address));
  if (outages !== undefined) watchLink(socket, address, outages);
  keepUnrefCheap(socket);
  return socket;
}

/**
 * kafkajs calls `unref` on each attempt to disconnect, even when the socket is already destroyed. Node then adds a listener
 * for a `connect` event that never comes, and warns of a leak once there are more than ten.
 */
function keepUnrefCheap(socket: Socket): void {
  const unref = socket.unref.bind(socket);
  socket.unref = () => (socket.destroyed ? socket : unref());
}
