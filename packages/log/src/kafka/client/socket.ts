import { connect, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';
import { connectionClosed, linkFailureOf, noAnswer } from './link-failure.ts';
import type { KafkaOutageLog } from './outage-log.ts';
import { connectProven } from './proven-connection.ts';
import { timeouts } from './timeouts.ts';

const KEEP_ALIVE_MS = 60_000;
/** JoinGroup and SyncGroup: a broker answers them only after the other group members have sent theirs. */
const groupRequests = new Set([11, 14]);
/** Requests that a broker answers before authentication: SaslHandshake, ApiVersions, SaslAuthenticate. */
const beforeLogin = new Set([17, 18, 36]);
/** Longer than a rebalance may take (kafkajs' `rebalanceTimeout` is one minute). */
const GROUP_ANSWER_MS = 90_000;
/** A request starts with its size, four bytes, followed by its API key. */
const API_KEY_AT = 4;

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
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
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

/**
 * Closes a connection on which requests are no longer answered.
 *
 * kafkajs times out a single request after half a minute and retries it on the same broker. When a machine hangs or the
 * network drops packets, the connection stays open, and kafkajs never asks another broker for the new leader. Closing the
 * connection makes it do so.
 */
export function watchAnswers(socket: Duplex, onTimeout: () => void = () => undefined): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let timer: NodeJS.Timeout | undefined;
  const answered = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  socket.write = (...args: unknown[]): boolean => {
    if (timer === undefined) {
      const ms = groupRequests.has(apiKeyOf(args[0])) ? GROUP_ANSWER_MS : timeouts.answer;
      timer = setTimeout(() => {
        onTimeout();
        socket.destroy(new Error(`no answer within ${ms / 1000} seconds`));
      }, ms);
      timer.unref();
    }
    return write(...args);
  };
  socket.on('data', answered);
  socket.on('close', answered);
}

/** Reports to `outages` whether the broker on this connection serves the client, and if not, why. */
function watchLink(socket: Socket, broker: string, outages: KafkaOutageLog): void {
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  let connected = false;
  let isReported = false;
  /** Whether a request that requires authentication is waiting for its answer. */
  let isWaiting = false;
  socket.write = (...args: unknown[]): boolean => {
    const key = apiKeyOf(args[0]);
    if (key >= 0) isWaiting ||= !beforeLogin.has(key);
    return write(...args);
  };
  socket.once('connect', () => {
    connected = true;
  });
  socket.on('data', () => {
    if (isWaiting && outages.isOngoing) outages.answered(broker);
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

/** -1 for bytes that do not start a request. */
function apiKeyOf(bytes: unknown): number {
  return Buffer.isBuffer(bytes) && bytes.length >= API_KEY_AT + 2 ? bytes.readInt16BE(API_KEY_AT) : -1;
}
