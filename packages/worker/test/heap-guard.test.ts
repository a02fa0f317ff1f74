import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { HeapGuard } from '../src/heap-guard.ts';

const MIB = 2 ** 20;
let clock = 0;
let live = 0;
let lines: string[] = [];
let guard: HeapGuard;
const freed = vi.fn((sessions: number) => {
  live -= sessions;
});
const heap = (usedMiB: number) => ({
  used_heap_size: usedMiB * MIB,
  heap_size_limit: 1000 * MIB,
});
beforeEach(() => {
  clock = 0;
  live = 1005;
  lines = [];
  freed.mockClear();
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line).msg) },
  );
  guard = new HeapGuard({ sessions: () => live, free: freed, logger, monotonic: () => clock });
});
afterEach(() => {
  guard.stop();
});

test.each([
  ['evicts nothing', 'less than 75 % of the heap is in use', 749, 1005, []],
  ['evicts a tenth of the sessions', '75 % of the heap is in use', 750, 1005, [101]],
  ['evicts the only session', '75 % of the heap is in use', 990, 1, [1]],
  ['evicts nothing', 'there are no sessions', 990, 0, []],
])('heap guard: %s when %s', (_does, _where, used, sessions, expected) => {
  live = sessions;
  guard.check(heap(used));
  expect(freed.mock.calls.flat()).toEqual(expected);
});

test('heap guard: logs once a minute what it evicts and what to do', () => {
  for (clock of [0, 1, 59_999]) guard.check(heap(800));
  expect(lines).toEqual([
    'Heap nearly full (800 of 1000 MiB): evicted the 101 least recently used sessions (904 left). ' +
      'Give the process more memory (NODE_OPTIONS=--max-old-space-size=MIB), or run more workers.',
  ]);
  clock = 60_000;
  guard.check(heap(800));
  expect(lines).toHaveLength(2);
});
