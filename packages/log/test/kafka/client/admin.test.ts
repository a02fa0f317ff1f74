import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { waitFor } from '@loopwatch/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { ensureTopics } from '../../../src/index.ts';

/** A broker that is starting, or hangs: the kernel accepts its connections. */
async function silentBroker() {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const connections = () =>
    new Promise<number>((resolve) => {
      server.getConnections((_, count) => resolve(count));
    });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, connections };
}

it('a broker that does not answer: the failure is reported, and nothing keeps the command running', async () => {
  const { address, connections } = await silentBroker();
  const checked = ensureTopics({ brokers: [address], clientId: 'test', connectTimeoutMs: 200 }, []);
  await expect(checked).rejects.toMatchObject({
    code: 'broker_unreachable',
    message: expect.stringContaining('answered in time') as string,
  });
  // Without an end, the connection would be open for 15 seconds.
  await waitFor(async () => (await connections()) === 0);
});
