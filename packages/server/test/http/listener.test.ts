import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { openListener } from '../../src/http/listener.ts';

it('listener: closes a connection that is idle during a request', async () => {
  const door = await openListener({ host: '127.0.0.1', port: 0, idle: 50 });
  door.serve((request, response) => {
    request.on('end', () => response.end('whole')).resume();
  });
  const socket = connect(Number(new URL(door.url).port), '127.0.0.1');
  const answer: Buffer[] = [];
  socket.on('data', (part: Buffer) => answer.push(part)).on('error', () => undefined);
  socket.write('POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nbegun');
  await once(socket, 'close');
  expect(Buffer.concat(answer).toString()).not.toContain('whole');
  await door.close();
});
