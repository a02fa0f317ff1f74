import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections (from 32,768 on). A port among those is not safe from them: while
 * its server is down, a connection, even one that looks for that very server, may be given it, and the server cannot return.
 */
const lowest = 15_000;
const count = 17_000;
/** Given out by this process; others find one that is not yet in use only by a rare chance. */
const given = new Set<number>();

/** A TCP port of this machine that is free at the moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * count);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

/** As many such ports, all different. */
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
