import { type SessionSummary, sessionSummarySchema } from '@loopwatch/contract';
import { describe, expect, it } from 'vitest';
import { silentObserver } from '../../src/records.ts';
import { SessionStore } from '../../src/sessions/store.ts';
import { detection, FIRST_OFFSET, IDLE_SECONDS, openSessions, START } from './summaries-driver.ts';

/** The summary that comes of each of the events, where one comes. */
function summaries(script: string): (SessionSummary | undefined)[] {
  const { pass, collector } = openSessions();
  return script.split(', ').map((event) => {
    pass(event);
    const summary = collector.drain().summaries.at(-1);
    return summary && sessionSummarySchema.parse(summary);
  });
}

describe('a summary is written', () => {
  it.each<[string, string, number[]]>([
    ['at the first event of a session', '0 ls, 1 cat', [0]],
    ['at the end of a session', '0 ls, 1 cat, 2 end', [0, 2]],
    ['at events after the end', '0 ls, 1 end, 2 ls, 3 cat', [0, 1, 2]],
    ['for a session that only ends', '0 end', [0]],
    [
      'at the first event at least 30 s after the last summary',
      '0 ls, 29 cat, 30 ls, 59 cat, 60 ls',
      [0, 2, 4],
    ],
    ['no sooner than that, however many events arrive', '0 ls, 29.999 cat, 31 ls, 60.999 cat', [0, 2]],
    ['when an incident opens and when it is resolved', '0 ls, 1 ls, 2 ls, 3 ls, 4 cat', [0, 2, 4]],
    ['when an incident escalates', '0 ls, 1 ls, 2 ls, 3 ls, 4 ls, 5 ls, 6 ls', [0, 2, 5]],
    [
      '30 s after the summary for an incident',
      '0 ls, 1 ls, 20 ls, 31 ls, 49 cat, 78.999 ls, 79 cat',
      [0, 2, 4, 6],
    ],
    [
      'when the session restarts after a pause',
      `0 ls, 1 ls, ${IDLE_SECONDS + 2} ls, ${IDLE_SECONDS + 3} cat`,
      [0, 2],
    ],
    ['when the clock was set back', '500 ls, 100 cat, 101 ls, 130 cat', [0, 1, 3]],
    ['but not for slightly different clocks', '10 ls, 0 cat, 12 ls, 1 cat', [0]],
    ['but not for settings alone', '0 ls, 40 off, 41 cat', [0, 2]],
    ['but not for settings after the end', '0 ls, 1 end, 90 off, 300 off', [0, 1]],
    ['but not for settings before the first event', '0 off, 1 ls', [1]],
    ['but not for a duplicate event', '0 same, 31 same, 32 cat', [0, 2]],
  ])('%s', (_, script, told) => {
    const found = summaries(script);
    expect(found.flatMap((summary, i) => (summary === undefined ? [] : [i]))).toEqual(told);
    const happenings = script.split(', ').map((text) => text.split(' '));
    for (const i of told) {
      const [second, name] = happenings[i]!;
      expect(found[i]).toMatchObject({
        lastEventAt: START + Number(second) * 1000,
        status: name === 'end' ? 'ended' : 'live',
        source: { lastOffset: String(FIRST_OFFSET + i) },
      });
    }
  });

  it('when settings resolve incidents, which does not count as activity', () => {
    const found = summaries('0 ls, 1 ls, 2 ls, 50 off, 51 ls');
    expect(found[3]).toMatchObject({ incidents: { open: 0, total: 1 }, lastEventAt: START + 2000 });
    expect(found[4]).toMatchObject({ lastEventAt: START + 51_000, status: 'live' });
  });

  it('only if summaries are enabled', () => {
    const store = new SessionStore({ detection, maxSessions: 1, idleMs: 0, observer: silentObserver });
    expect(store.open({ topic: 'events', partition: 0 }).summaries).toBeUndefined();
  });
});

describe('a summary', () => {
  const last = (script: string) => summaries(script).at(-1);

  it('contains exactly the known facts of the session', () => {
    const script = '0 prompt, 1 ls, 2 ls, 3 ls, 4 turn, 5 text, 6 thought, 7 usage, 8 usage, 9 other, 10 end';
    expect(last(script)).toEqual({
      v: 1,
      sessionId: 's',
      title: 'go',
      promptText: 'go',
      status: 'ended',
      startedAt: START,
      lastEventAt: START + 10_000,
      events: 11,
      unknown: 1,
      prompts: 1,
      turns: 1,
      toolCalls: 3,
      characters: 14,
      tokens: { input: 200, output: 14, cached: 0 },
      usd: null,
      model: 'm',
      backend: 'b',
      agent: 'a',
      tenant: 't',
      incidents: { open: 0, total: 1, byDetector: { 'tool-repeat': 1 } },
      verdicts: 2,
      progress: [3000, 4, 10_000, 11],
      source: { topic: 'events', partition: 3, firstOffset: '100', lastOffset: '110' },
      preset: 'stream',
      configHash: detection.plan.configHash,
    });
  });

  it.each<[string, string, object]>([
    ['null for unknown facts', '0 ls', { model: null, backend: null, agent: null, tenant: null }],
    ['agent version and tags', '0 tagged', { agentVersion: '1.2.0', tags: { env: 'prod' } }],
    ['the parent of a sub-agent', '0 child | 1 text', { parentSessionId: 'boss' }],
    ['no tokens if usage is not reported', '0 ls', { tokens: null }],
    [
      'no incidents if there were none',
      '0 ls',
      { incidents: { open: 0, total: 0, byDetector: {} }, verdicts: 0 },
    ],
    ['an open incident', '0 ls, 1 ls, 2 ls', { incidents: { open: 1, total: 1 }, verdicts: 1 }],
    [
      'an open incident after a resolved one',
      '0 ls, 1 ls, 2 ls, 3 cat, 4 cat, 5 cat',
      { incidents: { open: 1, total: 2, byDetector: { 'tool-repeat': 2 } }, verdicts: 3 },
    ],
    [
      'nothing from before a pause',
      `0 ls, 1 ls, 2 ls, ${IDLE_SECONDS + 3} ls`,
      {
        events: 1,
        incidents: { open: 0, total: 0, byDetector: {} },
        verdicts: 0,
        startedAt: START + (IDLE_SECONDS + 3) * 1000,
        source: { firstOffset: '103', lastOffset: '103' },
      },
    ],
    [
      'the progress from summary to summary',
      '0 ls, 29 cat, 30 cp, 31 ls, 60 mv',
      { progress: [30_000, 3, 60_000, 5] },
    ],
    [
      'the hash of the session’s own settings',
      '0 set, 1 ls',
      { configHash: expect.not.stringMatching(detection.plan.configHash) },
    ],
    [
      'a retried turn only once',
      '0 turn, 1 ls, 2 retry, 3 turn, 4 ls, 5 end',
      { turns: 1, toolCalls: 1, events: 6 },
    ],
  ])('contains %s', (_, script, expected) => {
    expect(last(script)).toMatchObject(expected);
  });

  it('samples the progress of a long session evenly, always including its end', () => {
    const minutes = Array.from(
      { length: 100 },
      (_, minute) => `${String(minute * 60)} tool-${String(minute)}`,
    );
    for (const summary of summaries(minutes.join(', ')).slice(1)) {
      const progress = summary?.progress ?? [];
      expect(progress.length).toBeLessThanOrEqual(32);
      expect(progress.slice(-2)).toEqual([summary!.lastEventAt - summary!.startedAt, summary!.events]);
      const times = progress.filter((_, i) => i % 2 === 0);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
    }
  });
});

describe('drain', () => {
  it('returns the latest summary of each session once', () => {
    const { pass, collector } = openSessions();
    pass('0 ls a, 0 ls b, 40 ls a, 80 cat a');
    const { summaries: taken, expired, expiredChecks } = collector.drain();
    expect(taken.map(({ sessionId, events }) => [sessionId, events])).toEqual([
      ['a', 3],
      ['b', 1],
    ]);
    expect([expired, expiredChecks]).toEqual([[], []]);
    expect(collector.drain()).toEqual({ summaries: [], erased: [], expired: [], expiredChecks: [] });
  });

  it('returns everything before a pause in a summary of its own, written after none for up to 30 s', () => {
    const { pass, collector } = openSessions();
    pass(`0 prompt, 1 ls, 2 ls, 3 ls, 4 usage, 5 cat a, 6 turn, ${IDLE_SECONDS + 9} ls`);
    const [before, after] = collector.drain().summaries.filter(({ sessionId }) => sessionId === 's');
    expect(before).toMatchObject({
      events: 6,
      toolCalls: 3,
      tokens: { input: 100, output: 7 },
      agent: 'a',
      lastEventAt: START + 6000,
      incidents: { open: 1, total: 1 },
      openIncidents: [{ count: 3 }],
      source: { firstOffset: '100', lastOffset: '106' },
    });
    expect(after).toMatchObject({ events: 1, incidents: { total: 0 }, source: { firstOffset: '107' } });
  });

  it('returns a last summary of a session that expires with events that no summary covers', () => {
    const { pass, sessions, collector } = openSessions();
    pass('0 ls');
    collector.drain();
    pass('1 ls');
    const [entry] = sessions.all();
    collector.noteExpired(entry!);
    sessions.remove(entry!);
    expect(collector.drain()).toMatchObject({ summaries: [{ events: 2 }], expired: ['s'] });
  });

  it('omits the summaries of a replay, but returns the sessions that expired in it', () => {
    const { pass, sessions, collector } = openSessions();
    pass('0 ls a, 0 ls b, 0 ls c');
    const [, b, c] = sessions.all();
    for (const entry of [b!, c!]) {
      collector.noteExpired(entry);
      sessions.remove(entry);
    }
    // c is back in the replay itself.
    pass('1 ls c');
    collector.dropSummaries();
    expect(collector.drain()).toEqual({ summaries: [], erased: [], expired: ['b'], expiredChecks: [] });
  });

  it('returns the summary of a session that is back, but not its expiry', () => {
    const { pass, sessions, collector } = openSessions();
    pass('0 ls');
    const [entry] = sessions.all();
    sessions.noteCheck('s', 'c-1');
    collector.noteExpired(entry!);
    sessions.remove(entry!);
    pass('1 ls');
    expect(collector.drain()).toMatchObject({
      summaries: [
        { events: 1, lastEventAt: START },
        { events: 1, lastEventAt: START + 1000 },
      ],
      expired: [],
      expiredChecks: ['c-1'],
    });
  });
});
