import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { ApiClient } from '../../src/server/api-client.ts';

async function serverThatAnswers(type: string, body: string) {
  const site = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type, connection: 'close' }).end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void site.close());
  await new Promise((resolve) => site.once('listening', resolve));
  const server = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}`;
  return { server, client: new ApiClient({ server, tokenEnv: 'LOOPWATCH_API_TOKEN' }, {}) };
}

it.each([
  ['text/html; charset=utf-8', '<html>hi</html>', 'HTML'],
  ['text/plain', 'pong', 'something other than JSON'],
])('ApiClient: says that a server which answers %s is not Loopwatch', async (type, body, what) => {
  const { server, client } = await serverThatAnswers(type, body);
  await expect(client.request('GET', '/tokens')).rejects.toMatchObject({
    name: 'ServerError',
    message: `No Loopwatch server at ${server}: it answered ${what} (status 200). Pass its address with --server.`,
  });
});

it('ApiClient: names what is wrong with an answer of another version', async () => {
  const { client } = await serverThatAnswers('application/json', '{"items":[{"id":1}]}');
  const schema = z.object({ items: z.array(z.object({ id: z.string() })), total: z.int() });
  await expect(client.read(schema, 'GET', '/tokens')).rejects.toMatchObject({
    name: 'ServerError',
    message:
      'Unexpected answer from GET /tokens: items.0.id: must be text, not a number; total: is required. The server may run another version: install the same as its own.',
  });
});
