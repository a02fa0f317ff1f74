import { QUIET_AFTER_MS } from '@loopwatch/contract';
import type { Queryable } from '@loopwatch/storage';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { listGroups } from '../../src/incidents/list-groups.ts';
import { listIncidents } from '../../src/incidents/list-incidents.ts';
import { incidentItems } from '../../src/incidents/read-incidents.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { listSessions } from '../../src/sessions/list-sessions.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { currentStats } from '../../src/stats/current-stats.ts';
import { rangeStats } from '../../src/stats/range-stats.ts';
import { changeTriage } from '../../src/triage/write-triage.ts';
import { START, summary, verdict } from '../verdicts.ts';

const open = { open: 1, total: 1, byDetector: { 'tool-repeat': 1 } };
/** The producer's clock is a little behind. */
const BEHIND = START - 5 * 60_000;

async function tell(database: Queryable, at: number, lastEventAt: number, events: number): Promise<void> {
  const cost = { calls: events, turns: events, characters: 0, tokens: 100 * events, ms: events * 1_000 };
  const openIncidents = [{ id: 'i-1', count: events, cost }];
  const one = summary('s-1', { lastEventAt, events, incidents: open, openIncidents });
  await writeSummaries(database, [{ id: 's-1', summary: one, at }]);
}

async function looksAt(database: Queryable, now: number) {
  const page = { limit: 10, cursor: undefined, now };
  const incidents = async (state: 'open' | 'quiet' | 'resolved') => {
    const sort = { by: 'detectedAt', descending: true } as const;
    const { items } = await listIncidents(database, { state: [state] }, { ...page, sort });
    return items.map((item) => item.state);
  };
  const { items: sessions } = await listSessions(
    database,
    {},
    { ...page, sort: { by: 'lastEventAt', descending: true } },
  );
  const looping = await listSessions(
    database,
    { incidents: 'open' },
    { ...page, sort: { by: 'lastEventAt', descending: true } },
  );
  const groups = await listGroups(database, {}, { ...page, sort: { by: 'lastSeen', descending: true } });
  const stats = await currentStats(database, now);
  const range = await rangeStats(database, { from: START - 1, to: START + 1_000, bucketMs: 1_001 }, now);
  return {
    lists: [await incidents('open'), await incidents('quiet'), await incidents('resolved')],
    sessions: sessions.map(({ state, incidents: { open: now, quiet } }) => [state, now, quiet]),
    looping: looping.total,
    groups: groups.items.map(({ open: now, quiet }) => [now, quiet]),
    stats: [stats.open, stats.quiet, stats.openByDetector['tool-repeat'] ?? 0],
    detector: range.detectors.find(({ detector }) => detector === 'tool-repeat')?.open,
  };
}

const goingOn = {
  lists: [['open'], [], []],
  sessions: [['live', 1, 0]],
  looping: 1,
  groups: [[1, 0]],
  stats: [1, 0, 1],
  detector: 1,
};
const gone = {
  lists: [[], ['quiet'], []],
  sessions: [['quiet', 0, 1]],
  looping: 0,
  groups: [[0, 1]],
  stats: [0, 1, 0],
  detector: 0,
};

onBothDatabases(({ make }) => {
  it('an incident turns quiet a minute after the last event of its session, and open again with the next one', async () => {
    const { database } = await make();
    await writeVerdicts(database, [{ verdict: verdict({ detectedAt: START }), arrivedAt: START }]);
    await tell(database, START + 500, BEHIND, 6);
    expect(await looksAt(database, START + 500 + QUIET_AFTER_MS - 1)).toEqual(goingOn);
    expect(await looksAt(database, START + 500 + QUIET_AFTER_MS)).toEqual(gone);
    await tell(database, START + 200_000, BEHIND + 10, 7);
    expect(await looksAt(database, START + 200_001)).toEqual(goingOn);
  });

  it('history that is imported is quiet at once, and has been since its own time', async () => {
    const { database } = await make();
    const then = START - 3 * 86_400_000;
    const found = verdict({ time: then, detectedAt: START });
    await writeVerdicts(database, [{ verdict: found, arrivedAt: START }]);
    await tell(database, START + 500, then + 1_000, 6);
    const [item] = await incidentItems(database, ['i-1'], START + 500);
    expect(item).toMatchObject({ state: 'quiet', detectedAt: then, lastActivityAt: then + 1_000 });
    const page = { limit: 10, cursor: undefined, now: START + 500 };
    const sort = { by: 'lastEventAt', descending: true } as const;
    expect((await listSessions(database, {}, { ...page, sort })).items).toMatchObject([{ state: 'quiet' }]);
    const range = { from: then - 1, to: then + 1, bucketMs: 2 };
    const { detectors } = await rangeStats(database, range, START);
    expect(detectors.find(({ detector }) => detector === 'tool-repeat')?.incidents).toBe(1);
  });

  it('a wrong clock makes no history: times in seconds, and times in the future', async () => {
    const { database } = await make();
    for (const [id, time] of [
      ['i-1', START / 1_000],
      ['i-2', START + 86_400_000],
    ] as const) {
      const found = verdict({ incidentId: id, sessionId: id, time, detectedAt: START });
      await writeVerdicts(database, [{ verdict: found, arrivedAt: START }]);
    }
    expect(await incidentItems(database, ['i-1', 'i-2'], START)).toMatchObject([
      { state: 'open', detectedAt: START },
      { state: 'open', detectedAt: START },
    ]);
  });

  it('a summary without a newer event does not count as activity', async () => {
    const { database } = await make();
    await writeVerdicts(database, [{ verdict: verdict({ detectedAt: START }), arrivedAt: START }]);
    await tell(database, START, BEHIND, 6);
    await tell(database, START + 300_000, BEHIND, 7);
    expect(await looksAt(database, START + 300_000)).toEqual(gone);
  });

  it.each(['verdict first', 'session first'])(
    'an open incident has the numbers of its session’s latest summary: %s',
    async (order) => {
      const { database } = await make();
      const opened = [
        {
          verdict: verdict({ detectedAt: START, countAt: 'read_file was called '.length }),
          arrivedAt: START,
        },
      ];
      if (order === 'verdict first') await writeVerdicts(database, opened);
      await tell(database, START + 1_000, START + 900, 120);
      if (order === 'session first') await writeVerdicts(database, opened);
      const [item] = await incidentItems(database, ['i-1'], START + 1_000);
      expect(item).toMatchObject({
        count: 120,
        reason: 'read_file was called 120 times in a row with the same arguments',
        lastAt: START + 900,
        revision: 1,
        cost: { calls: 120, turns: 120, tokens: 12_000, ms: 120_000 },
      });
      expect(await database.query('select count, calls, tokens, duration from incidents')).toEqual([
        { count: 120, calls: 120, tokens: 12_000, duration: 120_000 },
      ]);
      // An older summary, as of a topic that is read again, and a verdict that says more.
      await tell(database, START + 1_100, START + 800, 90);
      expect((await incidentItems(database, ['i-1'], START))[0]).toMatchObject({ count: 120 });
      const last = verdict({ phase: 'resolved', count: 121, eventIndex: 125, detectedAt: START + 2_000 });
      await writeVerdicts(database, [{ verdict: last, arrivedAt: START }]);
      await tell(database, START + 3_000, START + 3_000, 130);
      expect((await incidentItems(database, ['i-1'], START))[0]).toMatchObject({
        state: 'resolved',
        count: 121,
        reason: last.reason,
        cost: last.cost,
      });
    },
  );

  it.each(['verdict first', 'session first'])(
    'a resolved incident was last active when it was resolved, whatever its session does later: %s',
    async (order) => {
      const { database } = await make();
      const resolved = verdict({
        phase: 'resolved',
        eventIndex: 9,
        time: START + 900,
        detectedAt: START + 1_000,
      });
      const read = [verdict({ detectedAt: START }), resolved].map((one) => ({
        verdict: one,
        arrivedAt: START,
      }));
      if (order === 'verdict first') await writeVerdicts(database, read);
      const going = summary('s-1', { lastEventAt: START + 50_000, events: 40 });
      await writeSummaries(database, [{ id: 's-1', summary: going, at: START + 50_000 }]);
      if (order === 'session first') await writeVerdicts(database, read);
      const [item] = await incidentItems(database, ['i-1'], START + 50_000);
      expect(item).toMatchObject({ state: 'resolved', lastActivityAt: START + 1_000 });
    },
  );

  it('a muted incident stays open but is not counted until the mute expires', async () => {
    const { database } = await make();
    await writeVerdicts(database, [{ verdict: verdict({ detectedAt: START }), arrivedAt: START }]);
    await tell(database, START, BEHIND, 6);
    const mute = { status: 'muted', mutedUntil: START + 1_000 } as const;
    await changeTriage(database, ['i-1'], mute, { by: 'ada', at: START });
    expect(await looksAt(database, START + 999)).toEqual({ ...goingOn, stats: [0, 0, 0], detector: 0 });
    expect(await looksAt(database, START + 1_000)).toEqual(goingOn);
  });

  it('an incident that is stored before its session gets the activity of the session', async () => {
    const { database } = await make();
    await tell(database, START + 300_000, BEHIND, 6);
    await writeVerdicts(database, [{ verdict: verdict({ detectedAt: START }), arrivedAt: START }]);
    expect(await looksAt(database, START + 300_001)).toEqual(goingOn);
  });
});
