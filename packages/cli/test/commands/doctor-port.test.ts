import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { settingsSchema } from '@loopwatch/contract';
import { afterEach, expect, it } from 'vitest';
import { checkPort } from '../../src/commands/doctor-port.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** The port of a program that answers every request with this. */
async function listening(status: number, body: string): Promise<number> {
  server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const check = (port: number) =>
  checkPort('server', settingsSchema.parse({ server: { host: '127.0.0.1', port } }).server);

it('doctor: accepts a free port', async () => {
  const port = await listening(200, '');
  await new Promise((resolve) => server?.close(resolve));
  expect(await check(port)).toEqual({ ok: true, what: `port ${String(port)} (server) is free` });
});

it.each([
  [200, '{"status":"ready","checks":{"log":{"ok":true,"detail":"connected"}}}'],
  [503, '{"status":"not ready","checks":{"log":{"ok":false,"detail":"Kafka is unavailable"}}}'],
])('doctor: accepts a port that a running Loopwatch uses (%d)', async (status, body) => {
  const port = await listening(status, body);
  expect(await check(port)).toEqual({
    ok: true,
    what: `port ${String(port)} (server) is used by a running Loopwatch`,
  });
});

it.each([
  [200, '{"status":"ok"}'],
  [404, 'not found'],
])('doctor: reports a port that another program uses (%d %s)', async (status, body) => {
  const port = await listening(status, body);
  expect(await check(port)).toMatchObject({
    ok: false,
    what: `port ${String(port)} (server)`,
    advice: expect.stringMatching(/^Another program uses the port\. .*--set server\.port=…$/) as string,
  });
});
