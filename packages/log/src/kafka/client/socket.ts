import { connect, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';
import { watchAnswers } from './answer-watch.ts';
import { watchLink } from './link-watch.ts';
import type { KafkaOutageLog } from './outage-log.ts';
import { connectProven } from './proven-connection.ts';

const keepAliveMs = 60_000;

/** Where a connection stood and nothing was answered: as many at most as there are brokers. */
const suspects = new Set<string>();

/**
 * The connection kafkajs would make itself, but broken when nothing is answered any more, after which its broker has to
 * prove itself before the next one; and without Nagle's algorithm: that one holds a small request back until the answer to
 * the one before is acknowledged, which is up to 40 ms of latency for nothing.
 */
export function createSocket(
  { host, port, ssl, onConnect }: ISocketFactoryArgs,
  outages?: KafkaOutageLog,
): Socket {
  // As kafkajs passes it on from its own options, whatever its type says.
  const tls = ssl as ConnectionOptions | boolean | null | undefined;
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const address = `${host}:${port}`;
  const connectPlain = () =>
    suspects.has(address)
      ? connectProven({ host, port }, onConnect, () => suspects.delete(address))
      : connect({ host, port }, onConnect);
  // A handshake of TLS is a proof already.
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
 * kafkajs calls `unref` with each attempt to disconnect, also of a socket that has ended long ago. Node then adds a
 * listener for a connection that will never be, and warns of a leak once there are more than ten.
 */
function keepUnrefCheap(socket: Socket): void {
  const unref = socket.unref.bind(socket);
  socket.unref = () => (socket.destroyed ? socket : unref());
}
