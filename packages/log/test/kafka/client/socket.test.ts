import { Duplex } from 'node:stream';
import { freePort } from '@loopwatch/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSocket, watchAnswers } from '../../../src/kafka/client/socket.ts';

const FETCH = 1;
const JOIN_GROUP = 11;
const SYNC_GROUP = 14;

function request(apiKey: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeInt32BE(8);
  bytes.writeInt16BE(apiKey, 4);
  return bytes;
}

/** A watched connection whose other end answers on demand. */
function connection() {
  const sent: Buffer[] = [];
  const duplex = new Duplex({
    read: () => undefined,
    write: (chunk: Buffer, _encoding, done) => {
      sent.push(chunk);
      done();
    },
  });
  const errors: string[] = [];
  duplex.on('error', (error) => errors.push(error.message));
  watchAnswers(duplex);
  const answer = async () => {
    duplex.push(Buffer.from('answer'));
    await vi.advanceTimersByTimeAsync(0);
  };
  return { duplex, sent, errors, answer };
}

describe('watchAnswers', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([
    { what: 'fetch', apiKey: FETCH, seconds: 15 },
    { what: 'join', apiKey: JOIN_GROUP, seconds: 90 },
    { what: 'sync', apiKey: SYNC_GROUP, seconds: 90 },
  ])(
    'closes the connection when a $what is not answered for $seconds seconds',
    async ({ apiKey, seconds }) => {
      const { duplex, sent, errors } = connection();
      duplex.write(request(apiKey));
      await vi.advanceTimersByTimeAsync(seconds * 1000 - 1);
      expect(duplex.destroyed).toBe(false);
      await vi.advanceTimersByTimeAsync(1);
      expect(duplex.destroyed).toBe(true);
      expect(errors).toEqual([`no answer within ${seconds} seconds`]);
      expect(sent).toEqual([request(apiKey)]);
    },
  );

  it('counts from the first unanswered request', async () => {
    const { duplex } = connection();
    duplex.write(request(FETCH));
    await vi.advanceTimersByTimeAsync(10_000);
    duplex.write(request(FETCH));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(duplex.destroyed).toBe(true);
  });

  it('keeps the connection open while answers arrive, and while no request is pending', async () => {
    const { duplex, answer } = connection();
    for (let i = 0; i < 5; i += 1) {
      duplex.write(request(FETCH));
      await vi.advanceTimersByTimeAsync(14_000);
      await answer();
    }
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(duplex.destroyed).toBe(false);
  });

  it('leaves no timer behind when the connection is closed', async () => {
    const { duplex } = connection();
    duplex.write(request(FETCH));
    duplex.destroy();
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});

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
