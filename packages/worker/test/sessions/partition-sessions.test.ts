import { detectionSchema } from '@loopwatch/contract';
import { detectionOf } from '@loopwatch/detectors/internal';
import { describe, expect, it } from 'vitest';
import { SessionStore } from '../../src/sessions/store.ts';

const detection = detectionOf(detectionSchema.parse({ preset: 'stream' }));
const MAX_SESSIONS = 100;

function open(maxSessions = 100) {
  const observer = { evicted: () => undefined, abandoned: () => undefined };
  const store = new SessionStore({ detection, maxSessions, idleMs: 1000, observer });
  const sessions = store.open({ topic: 'events', partition: 0 });
  /** One call of a session a letter, from `offset` on. @returns those whose snapshot knew of it already */
  const pass = (letters: string, offset: number): string =>
    Array.from(letters)
      .filter((sessionId, i) => {
        const session = sessions.use(sessionId, offset + i)?.analyzer;
        session?.push({ type: 'tool_call_request', name: 'ls', time: 0 }, 0, offset + i);
        return session === undefined;
      })
      .join('');
  const seen = (sessionId: string) =>
    [...sessions.all()].find(({ analyzer }) => analyzer.sessionId === sessionId)?.analyzer.eventIndex;
  return { store, sessions, pass, seen };
}
const ids = (kept: readonly { sessionId: string }[]) => kept.map(({ sessionId }) => sessionId).join('');

describe('a checkpoint', () => {
  it.each<[string, number, { kept: string; replayFrom: number }]>([
    ['aabab', 100, { kept: '', replayFrom: 0 }],
    ['aabab', 4, { kept: 'a', replayFrom: 2 }],
    ['aabab', 2, { kept: 'ab', replayFrom: 5 }],
    ['aaaab', 1, { kept: 'a', replayFrom: 4 }],
    ['', 0, { kept: '', replayFrom: 5 }],
  ])('after %s stores the sessions that reach back more than %i records', (letters, reach, expected) => {
    const { sessions, pass } = open();
    pass(letters, 0);
    const { snapshots, replayFrom } = sessions.checkpoint(5, reach, MAX_SESSIONS);
    expect({ kept: ids(snapshots), replayFrom }).toEqual(expected);
  });

  it('stores a session again only after further records', () => {
    const { sessions, pass } = open();
    pass('ab', 0);
    expect(ids(sessions.checkpoint(2, 0, MAX_SESSIONS).snapshots)).toBe('ab');
    expect(sessions.checkpoint(2, 0, MAX_SESSIONS)).toMatchObject({
      snapshots: [],
      forgotten: [],
      replayFrom: 2,
    });
    pass('b', 2);
    expect(sessions.checkpoint(3, 0, MAX_SESSIONS)).toMatchObject({
      snapshots: [{ sessionId: 'b', coveredTo: 2 }],
    });
  });

  it('tells from where records alone rebuild all sessions, and looks again now and then', () => {
    const { sessions, pass } = open();
    sessions.begin(30, 50);
    pass('ab', 50);
    expect(sessions.checkpoint(52, 0, MAX_SESSIONS)).toMatchObject({ replayFrom: 52, rebuildFrom: 30 });
    pass('c', 20_000);
    expect(sessions.checkpoint(20_001, 100, MAX_SESSIONS)).toMatchObject({
      replayFrom: 20_000,
      rebuildFrom: 30,
    });
    for (const [at, entry] of [...sessions.all()].entries()) entry.firstOffset = 40 + at;
    expect(sessions.checkpoint(40_000, 0, MAX_SESSIONS)).toMatchObject({
      replayFrom: 40_000,
      rebuildFrom: 40,
    });
    expect(sessions.checkpoint(2_000_000, 0, MAX_SESSIONS).rebuildFrom).toBe(1_000_000);
  });

  it('stores at most the given number of sessions, oldest first, and replays the rest', () => {
    const { sessions, pass } = open();
    pass('abcd', 0);
    const first = sessions.checkpoint(4, 0, 2);
    expect([ids(first.snapshots), first.replayFrom]).toEqual(['ab', 2]);
    const second = sessions.checkpoint(4, 0, 2);
    expect([ids(second.snapshots), second.replayFrom]).toEqual(['cd', 4]);
  });

  it('stores a session at once if no record holds its latest input', () => {
    const { sessions, pass } = open();
    pass('ab', 0);
    const [, b] = sessions.all();
    sessions.noteUnrepeatable(b!.analyzer.sessionId);
    expect(ids(sessions.checkpoint(2, 100, MAX_SESSIONS).snapshots)).toBe('b');
  });

  it('deletes the stored state of an evicted session, once', () => {
    const { sessions, pass } = open(2);
    pass('ab', 0);
    sessions.checkpoint(2, 0, MAX_SESSIONS);
    // There is room for two: c takes the place of a.
    pass('c', 2);
    expect(sessions.checkpoint(3, 100, MAX_SESSIONS).forgotten).toEqual(['a']);
    expect(sessions.checkpoint(3, 100, MAX_SESSIONS).forgotten).toEqual([]);
  });

  it('deletes nothing for sessions that were never stored', () => {
    const { sessions, pass } = open(1);
    pass('abc', 0);
    expect(sessions.checkpoint(3, 100, MAX_SESSIONS).forgotten).toEqual([]);
  });

  it('does not delete the state of a session that returned and was stored again', () => {
    const { sessions, pass } = open(1);
    pass('a', 0);
    sessions.checkpoint(1, 0, MAX_SESSIONS);
    pass('ba', 1);
    const { snapshots, forgotten } = sessions.checkpoint(3, 0, MAX_SESSIONS);
    expect([ids(snapshots), forgotten]).toEqual(['a', []]);
  });
});

describe('a restored session', () => {
  it('skips the records that its snapshot covers, and processes the others', () => {
    const before = open();
    before.pass('aaaaba', 0);
    const { snapshots, replayFrom } = before.sessions.checkpoint(6, 2, MAX_SESSIONS);
    expect([ids(snapshots), replayFrom]).toEqual(['a', 4]);

    const after = open();
    for (const session of snapshots) after.sessions.restore(session, detection);
    expect(after.pass('ba', 4)).toBe('a');
    expect(after.pass('ab', 6)).toBe('');
    expect([after.seen('a'), after.seen('b')]).toEqual([5, 1]);
    before.pass('ab', 6);
    expect([before.seen('a'), before.seen('b')]).toEqual([5, 1]);
  });

  it('equals the session that was stored', () => {
    const before = open();
    before.pass('aaa', 0);
    const [session] = before.sessions.checkpoint(3, 0, MAX_SESSIONS).snapshots;
    const after = open();
    after.sessions.restore(JSON.parse(JSON.stringify(session)) as NonNullable<typeof session>, detection);
    const [entry] = after.sessions.all();
    expect(entry?.analyzer.snapshot()).toEqual(session?.snapshot);
    expect(after.sessions.checkpoint(3, 0, MAX_SESSIONS)).toMatchObject({
      snapshots: [],
      forgotten: [],
      replayFrom: 3,
    });
  });
});
