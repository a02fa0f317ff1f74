import { detectionSchema } from '@loopwatch/contract';
import { detectionOf } from '@loopwatch/detectors/internal';
import { describe, expect, it } from 'vitest';
import type { EvictionReason } from '../../src/records.ts';
import type { PartitionSessions } from '../../src/sessions/partition-sessions.ts';
import { SessionStore } from '../../src/sessions/store.ts';

const IDLE_MS = 1000;
const detection = detectionOf(
  detectionSchema.parse({
    preset: 'stream',
    tool_call_loop: { max_repeats: 2 },
    session: { idle_seconds: IDLE_MS / 1000 },
  }),
);

/** A store that is used as the pipeline uses it, and what it told. */
function storeOf(maxSessions: number) {
  const evictions: EvictionReason[] = [];
  const abandoned: string[] = [];
  const store = new SessionStore({
    detection,
    maxSessions,
    idleMs: IDLE_MS,
    observer: {
      evicted: (reason) => evictions.push(reason),
      abandoned: (incidents) => abandoned.push(...incidents),
    },
  });
  const open = new Map<number, PartitionSessions>();
  const sessionsOf = (partition: number): PartitionSessions => {
    const sessions = open.get(partition) ?? store.open({ topic: 'events', partition });
    open.set(partition, sessions);
    return sessions;
  };
  const drop = (partition: number): void => {
    store.close(sessionsOf(partition));
    open.delete(partition);
  };
  /** The same call in a session. @returns how many the session had seen before */
  const call = (
    sessionId: string,
    { time = 0, timestamp = null, partition = 0 }: Partial<CallPlace> = {},
  ): number => {
    const sessions = sessionsOf(partition);
    const session = sessions.use(sessionId, 0)!.analyzer;
    const before = session.eventIndex + 1;
    session.push({ type: 'tool_call_request', name: 'ls', time });
    sessions.noteTime(session, timestamp);
    return before;
  };
  const has = (sessionId: string, partition = 0): boolean =>
    [...sessionsOf(partition).all()].some(({ analyzer }) => analyzer.sessionId === sessionId);
  return { store, evictions, abandoned, call, has, drop, sessionsOf };
}

interface CallPlace {
  readonly time: number;
  readonly timestamp: number | null;
  readonly partition: number;
}

describe('the limit of sessions in memory', () => {
  it('frees the requested number of least recently used sessions, at most all', () => {
    const { store, evictions, call, has } = storeOf(10);
    for (const name of ['a', 'b', 'c', 'a']) call(name);
    store.free(2);
    expect(['a', 'b', 'c'].filter((name) => has(name))).toEqual(['a']);
    store.free(5);
    expect([store.size, evictions]).toEqual([0, ['lru', 'lru', 'lru']]);
  });

  it.each<[string, string[], string, string[]]>([
    ['the first one if each was used once', ['a', 'b', 'c'], 'a', ['b', 'c', 'new']],
    ['the one that was not used again', ['a', 'b', 'c', 'a', 'c'], 'b', ['a', 'c', 'new']],
    [
      'the least recently used one, whatever the order',
      ['c', 'a', 'b', 'c', 'b', 'a', 'b'],
      'c',
      ['a', 'b', 'new'],
    ],
    [
      'the oldest one even if the newest is used twice in a row',
      ['a', 'b', 'c', 'c'],
      'a',
      ['b', 'c', 'new'],
    ],
  ])('evicts %s', (_, uses, gone, kept) => {
    const { call, has, evictions, store } = storeOf(3);
    for (const session of uses) call(session);
    expect(evictions).toEqual([]);
    call('new');
    expect(evictions).toEqual(['lru']);
    expect(has(gone)).toBe(false);
    expect(kept.filter((session) => has(session))).toEqual(kept);
    expect(store.size).toBe(3);
  });

  it('applies across all partitions', () => {
    const { call, has, evictions, store } = storeOf(2);
    call('a', { partition: 0 });
    call('a', { partition: 1 });
    call('b', { partition: 1 });
    expect(evictions).toEqual(['lru']);
    expect([has('a', 0), has('a', 1), has('b', 1)]).toEqual([false, true, true]);
    expect(store.size).toBe(2);
  });

  it('restarts an evicted session and abandons its incident', () => {
    const { call, abandoned } = storeOf(1);
    expect([call('a'), call('a'), call('a')]).toEqual([0, 1, 2]);
    expect(abandoned).toEqual([]);
    call('b');
    expect(abandoned).toEqual([expect.stringMatching(/^i-/)]);
    expect([call('a'), call('b')]).toEqual([0, 0]);
  });

  it('holds for 100,000 session ids', () => {
    const { call, store, evictions, sessionsOf } = storeOf(100);
    for (let i = 0; i < 100_000; i += 1) call(`s-${String(i)}`, { partition: i % 7 });
    expect(store.size).toBe(100);
    expect(evictions).toHaveLength(99_900);
    expect(new Set(evictions)).toEqual(new Set(['lru']));
    const inPartitions = Array.from({ length: 7 }, (_, i) => [...sessionsOf(i).all()].length);
    expect(inPartitions.reduce((sum, size) => sum + size)).toBe(100);
  });
});

describe('the sweep', () => {
  /** An idle session, then `events` of another whose newest lies at `time`. */
  function afterOthers(events: number, time: number) {
    const used = storeOf(1000);
    used.call('idle', { time: 0 });
    for (let i = 1; i <= events; i += 1) used.call('busy', { time: i === events ? time : 0 });
    used.store.sweep();
    return used;
  }

  it.each([
    { events: 1025, time: 2 * IDLE_MS + 1, freed: true },
    { events: 1025, time: 2 * IDLE_MS, freed: false },
    { events: 1024, time: 2 * IDLE_MS + 1, freed: false },
    { events: 1, time: 1e15, freed: false },
  ])('after $events events of others, the newest $time ms later: freed $freed', ({ events, time, freed }) => {
    const { has, evictions } = afterOthers(events, time);
    expect(has('idle')).toBe(!freed);
    expect(has('busy')).toBe(true);
    expect(evictions).toEqual(freed ? ['idle'] : []);
  });

  it('frees nothing before it is called', () => {
    const { call, has } = storeOf(1000);
    call('idle', { time: 0 });
    for (let i = 0; i < 2000; i += 1) call('busy', { time: 1e9 });
    expect(has('idle')).toBe(true);
  });

  it('reports the abandoned incidents', () => {
    const { call, abandoned, store } = storeOf(1000);
    call('idle');
    call('idle');
    for (let i = 0; i < 2000; i += 1) call('busy', { time: 1e9 });
    store.sweep();
    expect(abandoned).toEqual([expect.stringMatching(/^i-/)]);
  });

  it('compares times only within a partition', () => {
    const { call, has, store } = storeOf(1000);
    call('early', { partition: 0, time: 0 });
    call('early', { partition: 1, time: 0 });
    for (let i = 0; i < 2000; i += 1) call('busy', { partition: 1, time: 1e9 });
    store.sweep();
    expect([has('early', 0), has('early', 1)]).toEqual([true, false]);
  });

  it('frees many sessions at once, and continues where it stopped', () => {
    const { call, store, evictions } = storeOf(100_000);
    for (let i = 0; i < 10_000; i += 1) call(`s-${String(i)}`, { time: 0 });
    for (let i = 0; i < 1100; i += 1) call('busy', { time: 1e9 });
    store.sweep();
    store.sweep();
    expect(store.size).toBe(1);
    expect(evictions).toHaveLength(10_000);
  });

  it('is not blocked by sessions that cannot be freed', () => {
    const { call, has, store } = storeOf(100_000);
    // A partition that stands still, and a clock that went ahead: neither will ever be idle.
    for (let i = 0; i < 500; i += 1) call(`still-${String(i)}`, { partition: 1, time: 0 });
    call('ahead', { time: 1e15, timestamp: 1 });
    call('idle', { time: 1, timestamp: 1 });
    for (let batch = 0; batch < 50; batch += 1) {
      for (let i = 0; i < 100; i += 1) call('busy', { time: 1e9, timestamp: 1e9 });
      store.sweep();
    }
    expect(has('idle')).toBe(false);
    expect(has('ahead')).toBe(true);
    expect(has('still-0', 1)).toBe(true);
  });

  it('is not misled by a clock ahead of the record’s timestamp', () => {
    const { call, has, evictions, store } = storeOf(100_000);
    const sessions = 3000;
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < sessions; i += 1) {
        const timestamp = 1 + round * 10;
        expect(call(`s-${String(i)}`, { time: timestamp, timestamp })).toBe(round);
        if (i % 10 === 0) call('micros', { time: timestamp * 1000 + 1e15, timestamp });
      }
      store.sweep();
    }
    expect(has('s-0')).toBe(true);
    expect(evictions).toEqual([]);
  });

  it('survives the removal of all sessions in the middle of a sweep', () => {
    const { call, store, evictions, drop } = storeOf(100_000);
    for (let i = 0; i < 3000; i += 1) call(`s-${String(i)}`, { partition: 1 });
    store.sweep();
    call('busy', { partition: 1, time: 1e9 });
    drop(1);
    store.sweep();
    expect(store.size).toBe(0);
    for (let i = 0; i < 3000; i += 1) call(`t-${String(i)}`, { time: 0 });
    store.sweep();
    for (let i = 0; i < 1100; i += 1) call('busy', { time: 1e9 });
    for (let i = 0; i < 100; i += 1) store.sweep();
    expect(store.size).toBe(1);
    expect(evictions.filter((reason) => reason === 'idle')).toHaveLength(3000);
  });
});

describe('a revoked partition', () => {
  it('frees only its own sessions', () => {
    const { call, has, store, evictions, abandoned, drop } = storeOf(1000);
    for (const partition of [0, 1]) {
      call('a', { partition });
      call('a', { partition });
      call('b', { partition });
    }
    drop(1);
    expect(evictions).toEqual(['partition_lost', 'partition_lost']);
    expect(abandoned).toHaveLength(1);
    expect(store.size).toBe(2);
    expect([has('a', 0), has('b', 0), has('a', 1), has('b', 1)]).toEqual([true, true, false, false]);
    expect([call('a', { partition: 0 }), call('a', { partition: 1 })]).toEqual([2, 0]);
  });

  it('forgets its newest time', () => {
    const { call, has, store, drop } = storeOf(1000);
    call('ahead', { time: 1e9, partition: 1 });
    drop(1);
    call('a', { time: 0, partition: 1 });
    for (let i = 0; i < 2000; i += 1) call('b', { time: 0, partition: 1 });
    store.sweep();
    expect(has('a', 1)).toBe(true);
  });
});
