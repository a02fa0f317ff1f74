import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { ApiClient } from '../../src/server/api-client.ts';

async function serverThatAnswers(type: string, body: string, status = 200, env: NodeJS.ProcessEnv = {}) {
  const site = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': type, connection: 'close' }).end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void site.close());
  await new Promise((resolve) => site.once('listening', resolve));
  const server = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}`;
  return { server, client: new ApiClient({ server, tokenEnv: 'LOOPWATCH_API_TOKEN' }, env) };
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

it.each([
  [{}, /answers 401: log in with a token: set LOOPWATCH_API_TOKEN /],
  [{ LOOPWATCH_API_TOKEN: 'old' }, /answers 401: it rejects the token in LOOPWATCH_API_TOKEN: set /],
])('ApiClient: says whether a token is missing or wrong, with %j', async (env, message) => {
  const { client } = await serverThatAnswers('application/problem+json', '{}', 401, env);
  await expect(client.request('GET', '/tokens')).rejects.toThrow(message);
});
