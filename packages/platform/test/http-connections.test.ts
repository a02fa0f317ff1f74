import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { closeGently } from '../src/index.ts';

const BODY = Buffer.alloc(32 * 1024 * 1024, 'x');

/** A connection to a server that closes gently. */
async function connectTo(http: Server): Promise<Socket> {
  closeGently(http);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return connect((http.address() as AddressInfo).port, '127.0.0.1').pause();
}

/** Sends the whole body before it reads the answer, as simple clients do. */
async function answerTo(head: string): Promise<string> {
  const http = createServer((_, response) => {
    response.writeHead(413).end('too long');
  });
  const socket = await connectTo(http);
  socket.write(`${head}\r\nhost: x\r\ncontent-length: ${String(BODY.length)}\r\n\r\n`);
  await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.write(BODY, resolve);
  });
  let answer = '';
  for await (const chunk of socket) {
    answer += String(chunk);
    if (answer.includes('too long')) break;
  }
  return answer;
}

it.each([
  ['that closes its connection', 'POST / HTTP/1.1\r\nconnection: close'],
  ['that keeps its connection', 'POST / HTTP/1.1'],
  ['of HTTP/1.0', 'POST / HTTP/1.0'],
])('closeGently: a client %s gets the answer to a body that was refused', async (_, head) => {
  expect(await answerTo(head)).toMatch(/^HTTP\/1\.1 413 /);
});

it('closeGently: a client gets the answer to headers that are too long, whatever it sends after them', async () => {
  const http = createServer();
  const socket = await connectTo(http);
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nx-long: ');
  await new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.end(BODY, () => resolve(undefined));
  });
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  expect(answer).toMatch(/^HTTP\/1\.1 431 .*"status":431\}$/s);
});
