import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Database } from '@loopwatch/storage';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Guard } from '../../src/guard/guard.ts';
import { VerdictStreams } from '../../src/guard/verdict-streams.ts';
import { silent } from '../running-server.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(globalThis, 'setInterval');
  vi.spyOn(globalThis, 'clearInterval');
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Not by the number of timers: the test runner has some of its own. */
function expectHeartbeatsEnded(): void {
  const { calls, results } = vi.mocked(setInterval).mock;
  const started = results.flatMap(({ value }, i) => (calls[i]?.[1] === 15_000 ? [value] : []));
  expect(started).toHaveLength(1);
  expect(vi.mocked(clearInterval).mock.calls.flat()).toContain(started[0]);
}

class FakeResponse extends EventEmitter {
  destroyed = false;
  writableNeedDrain = false;
  readonly written: string[] = [];
  writeHead = () => this;
  write = (text: string) => this.written.push(text) > 0;
  end = () => this;
  destroy() {
    this.destroyed = true;
    this.emit('close');
  }
}

function streams() {
  let read = 0;
  const verdicts = () =>
    Array.from({ length: 20 }, () => ({ stream: 0, id: `v-${String((read += 1))}`, at: read, doc: '{}' }));
  const query = vi.fn((sql: string) => Promise.resolve(sql.includes('from verdicts') ? verdicts() : []));
  const database = { query, listen: () => Promise.resolve(() => Promise.resolve()) } as unknown as Database;
  const guard = { readStops: () => Promise.resolve(() => false) } as unknown as Guard;
  const opened = new VerdictStreams({
    database,
    guard,
    logger: silent,
    mayStay: () => mayStay.now,
    now: Date.now,
  });
  const mayStay = { now: true };
  const response = new FakeResponse();
  const open = () =>
    opened.open({ headers: {} } as unknown as IncomingMessage, response as unknown as ServerResponse, 's-1');
  return { opened, open, response, query, mayStay };
}

it('verdict stream: stops reading for a stalled client, and disconnects it at the second heartbeat', async () => {
  const { opened, open, response, query } = streams();
  await open();
  await vi.advanceTimersByTimeAsync(150);
  expect(query.mock.calls.length).toBeGreaterThan(1);
  response.writableNeedDrain = true;
  // What is being read for it is still sent.
  await vi.advanceTimersByTimeAsync(10);
  const asked = query.mock.calls.length;
  const written = response.written.length;
  await vi.advanceTimersByTimeAsync(16_000);
  expect(query.mock.calls.length).toBe(asked);
  expect(response.written.length).toBe(written);
  expect(response.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(response.destroyed).toBe(true);
  expectHeartbeatsEnded();
  await opened.stop();
});

it('verdict stream: continues once the client has read its page', async () => {
  const { opened, open, response, query } = streams();
  response.writableNeedDrain = true;
  await open();
  await vi.advanceTimersByTimeAsync(200);
  expect(query).not.toHaveBeenCalled();
  response.writableNeedDrain = false;
  response.emit('drain');
  await vi.advanceTimersByTimeAsync(200);
  expect(response.written.join('')).toContain('id: v-20');
  await opened.stop();
  expectHeartbeatsEnded();
});

it('verdict stream: ends when the login of its client ends', async () => {
  const { opened, open, response, mayStay } = streams();
  const end = vi.spyOn(response, 'end');
  await open();
  mayStay.now = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(end).toHaveBeenCalledOnce();
  await opened.stop();
});
