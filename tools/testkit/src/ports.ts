import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports (from 32,768 on). A port in that range is not safe: while its server is down, an outgoing
 * connection, even one to that very server, may get it, and the server cannot restart.
 */
const LOWEST = 15_000;
const COUNT = 17_000;
/** A TCP port of this machine that is free at the moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/** Several distinct free ports. */
export function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
}

/**
 * Reserves the port among the processes of the tests, until this one ends: a server takes seconds to start, and another test
 * would find the port free. The reservation is the UDP port of the same number, which no server here uses.
 */
async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4');
  socket.unref();
  try {
    socket.bind({ port, address: '127.0.0.1', exclusive: true });
    await once(socket, 'listening');
    return true;
  } catch {
    socket.close();
    return false;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    const closed = server.listening ? once(server, 'close') : undefined;
    server.close();
    await closed;
  }
}
