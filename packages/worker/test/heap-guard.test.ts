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
  ['keeps all sessions', 'three quarters are not in use', 749, 1005, []],
  ['frees a tenth of the sessions', 'three quarters are in use', 750, 1005, [101]],
  ['frees the only session', 'three quarters are in use', 990, 1, [1]],
  ['frees nothing', 'there is no session', 990, 0, []],
])('the heap guard %s where %s of the heap’s limit', (_does, _where, used, sessions, expected) => {
  live = sessions;
  guard.look(heap(used));
  expect(freed.mock.calls.flat()).toEqual(expected);
});

test('the heap guard says once a minute what it frees and what to do', () => {
  for (clock of [0, 1, 59_999]) guard.look(heap(800));
  expect(lines).toEqual([
    'Too many live sessions for the memory: 800 of 1000 MiB of heap are in use, so the 101 least ' +
      'recently used sessions were evicted (904 left). Give the process more memory (NODE_OPTIONS=--max-old-space-size=MIB), or run more workers.',
  ]);
  clock = 60_000;
  guard.look(heap(800));
  expect(lines).toHaveLength(2);
});
