import { describe, expect, it } from 'vitest';
import { type RecordedSession, recordedSessions } from '../../src/backtests/recorded-sessions.ts';
import { MemoryLog } from '../memory-log.ts';
import { topics } from '../running-server.ts';

/** Whose each record is, in the order of the log. */
const owners = ['a', 'b', 'a', 'c', 'b', 'a', 'b', 'c'];

/** What is read of these sessions, as a line. */
async function read(sessions: readonly RecordedSession[]): Promise<string> {
  const log = new MemoryLog();
  for (const sessionId of owners) {
    log.append(topics.events, JSON.stringify({ sessionId, type: 'content', text: 'x' }), { key: sessionId });
  }
  const said: string[] = [];
  for await (const one of recordedSessions(log.records(), sessions, new AbortController().signal)) {
    said.push('ended' in one ? `${one.ended.sessionId}.` : one.session.sessionId);
  }
  return said.join(' ');
}

const session = (sessionId: string, first: number, last: number, live = false): RecordedSession => ({
  sessionId,
  topic: topics.events,
  partition: 0,
  first,
  last,
  live,
});

describe('recorded sessions', () => {
  it.each([
    ['an ended session up to its last event', [session('a', 0, 2)], 'a a a.'],
    ['a live session up to the newest event in the log', [session('a', 0, 2, true)], 'a a a a.'],
    ['a live session without new events', [session('c', 3, 7, true)], 'c c c.'],
    [
      'overlapping sessions, each event once',
      [session('a', 0, 2), session('b', 1, 4, true), session('c', 3, 3)],
      'a b a c b b a. c. b.',
    ],
    ['disjoint sessions one after another', [session('c', 7, 7), session('a', 0, 2)], 'a a a. c c.'],
    ['an empty session beyond the end of the log', [session('d', 20, 30)], 'd.'],
  ])('contain %s', async (_what, sessions, line) => {
    expect(await read(sessions)).toBe(line);
  });
});
