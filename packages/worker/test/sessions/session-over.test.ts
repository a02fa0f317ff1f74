import { describe, expect, it } from 'vitest';
import { detection, IDLE_SECONDS, openSessions } from './summaries-driver.ts';

type Open = ReturnType<typeof openSessions>;

describe('a session removed from memory', () => {
  const room = ({ pass }: Open) => {
    pass('3 ls new');
  };
  const fault = ({ sessions }: Open) => {
    sessions.forget('s', Infinity);
  };
  const lost = ({ store, sessions }: Open) => {
    store.close(sessions);
  };
  it.each<[string, string, (made: Open) => void, boolean]>([
    ['keeps its records if evicted while live', '0 ls', room, false],
    ['deletes its records if evicted after its end', '0 ls, 1 end', room, true],
    ['keeps its records if it continued after its end', '0 ls, 1 end, 2 ls', room, false],
    ['keeps its records after a fault', '0 ls', fault, false],
    ['keeps its records after a fault, even if it ended', '0 ls, 1 end', fault, false],
    ['keeps its records if its partition is revoked', '0 ls', lost, false],
    ['keeps its records if its partition is revoked, even if it ended', '0 ls, 1 end', lost, false],
  ])('%s', (_, script, goes, over) => {
    const made = openSessions(2);
    const { pass, sessions, collector } = made;
    pass(`${script}, 2 ls other`);
    sessions.noteCheck('s', 'c-1');
    sessions.noteCheck('other', 'c-2');
    collector.drain();
    goes(made);
    const told = collector.drain();
    expect([told.expired, told.expiredChecks]).toEqual(over ? [['s'], ['c-1']] : [[], []]);
  });

  it('deletes its summary and check records when idle, including those from before a pause', () => {
    const { pass, sessions, store, collector } = openSessions();
    pass('0 ls');
    sessions.noteCheck('s', 'c-1');
    pass(`${IDLE_SECONDS + 1} ls`);
    sessions.noteCheck('s', 'c-2');
    const others = Array.from({ length: 1100 }, (_, i) => `3600 cat other-${String(i % 50)}`);
    pass(others.join(', '));
    collector.drain();
    store.sweep();
    expect(collector.drain()).toEqual({
      summaries: [],
      erased: [],
      expired: ['s'],
      expiredChecks: ['c-1', 'c-2'],
    });
    expect(collector.drain()).toEqual({ summaries: [], erased: [], expired: [], expiredChecks: [] });
  });

  it('deletes a check record at once if the session is gone before the check is recorded', () => {
    const { sessions, collector } = openSessions();
    sessions.noteCheck('gone', 'c-9');
    expect(collector.drain()).toEqual({ summaries: [], erased: [], expired: [], expiredChecks: ['c-9'] });
  });
});

it('checkpoint: stores a session as soon as one of its checks is recorded, which no replay would restore', () => {
  const { pass, sessions } = openSessions();
  pass('0 ls, 0 ls other');
  sessions.noteCheck('s', 'c-1');
  const { snapshots: kept } = sessions.checkpoint(102, 100, 10);
  expect(kept).toMatchObject([{ sessionId: 's', summary: { tally: { checks: ['c-1'] } } }]);
});

it('restored session: gives the same summaries, and deletes its check records when it expires', () => {
  const [before, after] = [openSessions(), openSessions()];
  before.pass('0 ls, 1 ls, 2 ls, 20 ls');
  before.sessions.noteCheck('s', 'c-1');
  before.collector.drain();
  after.pass('0 ls else, 0 ls else, 0 ls else, 0 ls else');
  after.collector.drain();
  const [kept] = before.sessions.checkpoint(104, 0, 10).snapshots;
  after.sessions.restore(JSON.parse(JSON.stringify(kept)) as NonNullable<typeof kept>, detection);
  // An answer that comes late tells of the session at the offset it had come to.
  const entryOf = ({ sessions }: Open) =>
    [...sessions.all()].find(({ analyzer }) => analyzer.sessionId === 's');
  for (const made of [before, after])
    made.collector.noteAnswer(entryOf(made)!, [{ phase: 'opened', detector: 'semantic' }]);
  const late = after.collector.drain();
  expect(late).toEqual(before.collector.drain());
  expect(late.summaries).toMatchObject([{ verdicts: 2, source: { firstOffset: '100', lastOffset: '103' } }]);
  const told = ['31 ls', '31.999 ls', '32 cat', '61.999 ls', '62 ls', '63 end'].map((event) => {
    before.pass(event);
    after.pass(event);
    const collector = after.collector.drain();
    expect(collector).toEqual(before.collector.drain());
    return collector.summaries.length;
  });
  expect(told).toEqual([0, 1, 1, 0, 1, 1]);
  after.collector.noteExpired(entryOf(after)!);
  expect(after.collector.drain()).toMatchObject({ expired: ['s'], expiredChecks: ['c-1'] });
});
