import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { edgeBundle, waitFor } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import type { Guard, GuardOptions } from '../src/index.ts';

/** A guard in a bundle for no platform, which knows what edge runtimes have in common, and nothing of Node. */
async function edgeGuard(options: GuardOptions): Promise<Guard> {
  const script = await edgeBundle(fileURLToPath(new URL('../src/index.ts', import.meta.url)));
  const web = {
    AbortController,
    AbortSignal,
    TextDecoder,
    TextEncoder,
    URL,
    crypto,
    fetch,
    console,
    // Their timers are numbers.
    setTimeout: (run: () => void, ms: number) => Number(setTimeout(run, ms)),
    clearTimeout: (timer: number) => clearTimeout(timer),
  };
  const context = createContext(web);
  runInContext(script, context);
  const { createGuard } = runInContext('loopwatch', context) as { createGuard: (o: GuardOptions) => Guard };
  return createGuard(options);
}

it('guard on an edge runtime: bundles without a module of Node, denies a loop, reports and follows', async () => {
  const posts: string[] = [];
  let stop: (() => void) | undefined;
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      stop = () => response.write('event: stop\ndata: {"stopped":true}\n\n');
      return;
    }
    void text(request).then((body) => {
      posts.push(...body.split('\n'));
      response.writeHead(202).end('{"rejected":[]}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const guard = await edgeGuard({ server: { url }, session: 's-edge' });
  const read = guard.tool('read_file', (given: { path: string }) => `${given.path} not found`);
  const results = [1, 2, 3, 4].map(() => read({ path: 'a' }));
  expect(results.slice(0, 3)).toEqual(Array(3).fill('a not found'));
  expect(results[3]).toContain('Loopwatch denied this call');
  await waitFor(() => stop !== undefined && posts.length === 8);
  stop?.();
  await waitFor(() => guard.reason !== null);
  expect(guard.reason).toContain('stopped');
  await guard.close();
  expect(guard.stats()).toMatchObject({ calls: 4, denied: 1, reported: 8, faults: 0 });
});
