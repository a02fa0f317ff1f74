import { freePort } from '@loopwatch/testkit';
import { expect, it } from 'vitest';
import { createSocket } from '../../../src/kafka/client/socket.ts';

it('createSocket: repeated `unref` adds no listeners to a refused connection', async () => {
  const socket = createSocket({
    host: '127.0.0.1',
    port: await freePort(),
    onConnect: () => undefined,
  } as never);
  socket.on('error', () => undefined);
  await new Promise((resolve) => socket.once('close', resolve));
  const before = socket.listenerCount('connect');
  for (let i = 0; i < 20; i += 1) {
    socket.end();
    socket.unref();
  }
  expect(socket.listenerCount('connect')).toBe(before);
});
