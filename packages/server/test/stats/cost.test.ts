import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { listGroups } from '../../src/incidents/list-groups.ts';
import { listIncidents } from '../../src/incidents/list-incidents.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { removeIncidents } from '../../src/retention/remove-oldest.ts';
import { listSessions } from '../../src/sessions/list-sessions.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { currentStats } from '../../src/stats/current-stats.ts';
import { START, summary, verdict } from '../verdicts.ts';

const costOf = (usd: number | null) => ({ calls: 5, turns: 5, characters: 0, tokens: 10, usd, ms: 1 });
const dearestFirst = {
  now: START,
  limit: 10,
  cursor: undefined,
  sort: { by: 'usd', descending: true },
} as const;

onBothDatabases(({ make }) => {
  const filled = async () => {
    const { database } = await make();
    const verdicts = [
      verdict({ incidentId: 'cheap', cost: costOf(0.25) }),
      verdict({ incidentId: 'unpriced', cost: costOf(null) }),
      verdict({ incidentId: 'dear', detector: 'tool-cycle', cost: costOf(8.5) }),
      verdict({ incidentId: 'other', cost: costOf(0.5) }),
    ];
    const sessions = [
      summary('s-2', { usd: 0.5 }),
      summary('s-3', { usd: null }),
      summary('s-4', { usd: 2 }),
    ];
    await database.transaction(async (tx) => {
      await writeVerdicts(
        tx,
        verdicts.map((one) => ({ verdict: one, arrivedAt: START })),
      );
      await writeSummaries(
        tx,
        sessions.map((one) => ({ id: one.sessionId, summary: one, at: START })),
      );
    });
    return database;
  };

  it('incidents, groups and sessions are sorted by cost, unpriced ones last', async () => {
    const database = await filled();
    const incidents = await listIncidents(database, {}, dearestFirst);
    expect(incidents.items.map(({ id, cost }) => [id, cost.usd])).toEqual([
      ['dear', 8.5],
      ['other', 0.5],
      ['cheap', 0.25],
      ['unpriced', null],
    ]);
    const groups = await listGroups(database, {}, dearestFirst);
    expect(groups.items.map(({ detector, cost }) => [detector, cost.usd])).toEqual([
      ['tool-cycle', 8.5],
      ['tool-repeat', 0.75],
    ]);
    const sessions = await listSessions(database, {}, dearestFirst);
    expect(sessions.items.map(({ sessionId, usd }) => [sessionId, usd])).toEqual([
      ['s-4', 2],
      ['s-2', 0.5],
      ['s-3', null],
    ]);
  });

  it('the cost of an open incident is that of the latest session summary', async () => {
    const database = await filled();
    const openIncidents = [{ id: 'cheap', count: 9, cost: costOf(9) }];
    await database.transaction((tx) =>
      writeSummaries(tx, [{ id: 's-1', summary: summary('s-1', { events: 99, openIncidents }), at: START }]),
    );
    const { items } = await listIncidents(database, {}, dearestFirst);
    expect(items[0]).toMatchObject({ id: 'cheap', cost: { usd: 9 } });
  });

  it('total cost includes incidents deleted by retention', async () => {
    const database = await filled();
    expect((await currentStats(database, START)).usd).toBe(9.25);
    expect(await removeIncidents(database, { limit: 2 })).toBe(2);
    expect((await currentStats(database, START)).usd).toBe(9.25);
  });

  it('total cost is null without any price', async () => {
    const { database } = await make();
    await database.transaction((tx) =>
      writeVerdicts(tx, [{ verdict: verdict({ cost: costOf(null) }), arrivedAt: START }]),
    );
    expect((await currentStats(database, START)).usd).toBeNull();
    await removeIncidents(database, { limit: 1 });
    expect((await currentStats(database, START)).usd).toBeNull();
  });
});
