import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { post } from '../../src/notifications/post.ts';

const MEBIBYTE = 1024 * 1024;
const servers: ReturnType<typeof createServer>[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function postTo(answer: RequestListener, login = '') {
  const server = createServer(answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const { signal } = new AbortController();
  return post({ url: `http://${login}127.0.0.1:${String(port)}/`, body: '{}', signal });
}

it('notifications: of an answer that never ends, the beginning is read, and its connection is closed', async () => {
  const responses: ServerResponse[] = [];
  const answer = await postTo((_request, response) => {
    const send = () => {
      while (!response.destroyed && response.write('x'.repeat(MEBIBYTE)));
    };
    responses.push(response);
    response.on('drain', send);
    send();
  });
  expect(answer).toEqual({ outcome: 'answered', text: 'x'.repeat(65_536) });
  await expect.poll(() => responses.map(({ destroyed }) => destroyed)).toEqual([true]);
});

it('notifications: a compressed answer is not expanded beyond the limit', async () => {
  const bomb = gzipSync('x'.repeat(64 * MEBIBYTE));
  const answer = await postTo((_request, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  });
  expect(answer).toEqual({ outcome: 'answered', text: 'x'.repeat(65_536) });
});

it('notifications: a user and password in the URL are sent as basic authentication', async () => {
  const seen: unknown[] = [];
  const answer = await postTo((request, response) => {
    seen.push([request.url, request.headers.authorization]);
    response.end('ok');
  }, 'ops:p%40ss@');
  expect(answer).toEqual({ outcome: 'answered', text: 'ok' });
  expect(seen).toEqual([['/', `Basic ${Buffer.from('ops:p@ss').toString('base64')}`]]);
});
