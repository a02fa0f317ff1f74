import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ephemeral ports (from 32,768 on). A port in that range is not safe: while its server is down, an outgoing
 * connection, even one to that very server, may get it, and the server cannot restart.
 */
const LOWEST = 15_000;
const COUNT = 17_000;
/** Ports handed out by this process; another process rarely picks the same free port. */
const given = new Set<number>();

/** A TCP port of this machine that is free at the moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

/** Several distinct free ports. */
export function freePorts(count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => freePort()));
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
