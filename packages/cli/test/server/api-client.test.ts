import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ApiClient } from '../../src/server/api-client.ts';

it.each([
  ['text/html; charset=utf-8', '<html>hi</html>', 'HTML'],
  ['text/plain', 'pong', 'something other than JSON'],
])('ApiClient: says that a server which answers %s is not Loopwatch', async (type, body, what) => {
  const site = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': type, connection: 'close' }).end(body);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void site.close());
  await new Promise((resolve) => site.once('listening', resolve));
  const server = `http://127.0.0.1:${String((site.address() as AddressInfo).port)}`;
  const client = new ApiClient({ server, tokenEnv: 'LOOPWATCH_API_TOKEN' }, {});
  await expect(client.request('GET', '/tokens')).rejects.toMatchObject({
    name: 'ServerError',
    message: `No Loopwatch server at ${server}: it answered ${what} (status 200). Pass its address with --server.`,
  });
});
