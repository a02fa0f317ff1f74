import { QUIET_AFTER_MS } from '@loopwatch/contract';
import type { Queryable } from '@loopwatch/storage';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../storage/test/databases.ts';
import { listGroups } from '../src/incidents/list-groups.ts';
import { listIncidents } from '../src/incidents/list-incidents.ts';
import { writeVerdicts } from '../src/incidents/write-verdicts.ts';
import { listSessions } from '../src/sessions/list-sessions.ts';
import { writeSummaries } from '../src/sessions/write-summaries.ts';
import { currentStats } from '../src/stats/current-stats.ts';
import { rangeStats } from '../src/stats/range-stats.ts';
import { START, summary, verdict } from './verdicts.ts';

const open = { open: 1, total: 1, byDetector: { 'tool-repeat': 1 } };
/** A recording: its events lie a year before they are processed. */
const RECORDED = START - 365 * 86_400_000;

async function tell(database: Queryable, at: number, lastEventAt: number, events: number): Promise<void> {
  const one = summary('s-1', { lastEventAt, events, incidents: open });
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
  ...{ lists: [['open'], [], []], sessions: [['live', 1, 0]], looping: 1, groups: [[1, 0]] },
  ...{ stats: [1, 0, 1], detector: 1 },
};
const gone = {
  ...{ lists: [[], ['quiet'], []], sessions: [['quiet', 0, 1]], looping: 0, groups: [[0, 1]] },
  ...{ stats: [0, 1, 0], detector: 0 },
};

onBothDatabases(({ make }) => {
  it('an incident goes quiet a minute after its session was heard of, and is open again with the next event', async () => {
    const { database } = await make();
    await writeVerdicts(database, [{ verdict: verdict({ detectedAt: START }), arrivedAt: START }]);
    await tell(database, START + 500, RECORDED, 5);
    expect(await looksAt(database, START + 500 + QUIET_AFTER_MS - 1)).toEqual(goingOn);
    expect(await looksAt(database, START + 500 + QUIET_AFTER_MS)).toEqual(gone);
    await tell(database, START + 200_000, RECORDED + 10, 6);
    expect(await looksAt(database, START + 200_001)).toEqual(goingOn);
  });

  it('a summary without a newer event is no sign of life', async () => {
    const { database } = await make();
    await writeVerdicts(database, [{ verdict: verdict({ detectedAt: START }), arrivedAt: START }]);
    await tell(database, START, RECORDED, 5);
    await tell(database, START + 300_000, RECORDED, 6);
    expect(await looksAt(database, START + 300_000)).toEqual(gone);
  });

  it('an incident that is read before its session is as active as the session', async () => {
    const { database } = await make();
    await tell(database, START + 300_000, RECORDED, 5);
    await writeVerdicts(database, [{ verdict: verdict({ detectedAt: START }), arrivedAt: START }]);
    expect(await looksAt(database, START + 300_001)).toEqual(goingOn);
  });
});
