import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { readOverview } from '../../src/stats/overview.ts';
import { SharedResult } from '../../src/stats/shared-result.ts';
import { changeTriage } from '../../src/triage/write-triage.ts';
import { START, summary, verdict } from '../verdicts.ts';

const MINUTE = 60_000;

onBothDatabases(({ make }) => {
  const filled = async () => {
    const { database } = await make();
    const tokens = { calls: 5, turns: 5, characters: 0, tokens: 900, ms: 1 };
    const verdicts = [
      verdict({ incidentId: 'old', time: START - 600 * MINUTE, cost: tokens }),
      verdict({ incidentId: 'open', time: START }),
      verdict({ incidentId: 'over', time: START + MINUTE, cost: tokens }),
      verdict({ incidentId: 'over', time: START + MINUTE, phase: 'resolved', count: 9, cost: tokens }),
      verdict({ incidentId: 'cycle', time: START + 2 * MINUTE, detector: 'tool-cycle' }),
    ];
    await database.transaction(async (tx) => {
      await writeVerdicts(
        tx,
        verdicts.map((one) => ({ verdict: one, arrivedAt: START })),
      );
      const openIncidents = ['old', 'open', 'cycle'].map((id) => ({
        id,
        count: 5,
        cost: { ...tokens, tokens: null },
      }));
      await writeSummaries(tx, [
        { id: 's-1', summary: summary('s-1', { events: 100, openIncidents }), at: START + 2 * MINUTE },
      ]);
      await changeTriage(tx, ['over'], { status: 'false_positive' }, { by: 'operator', at: START });
    });
    return database;
  };

  it('overview: sums, buckets, detectors and open incidents are consistent', async () => {
    const overview = await readOverview(await filled(), { lastMs: 60 * MINUTE }, START + 2.5 * MINUTE);
    expect(overview).toMatchObject({
      asOf: START + 2.5 * MINUTE,
      from: START - 57.5 * MINUTE,
      to: START + 2.5 * MINUTE,
      open: 3,
      quiet: 0,
      openByDetector: { 'tool-repeat': 2, 'tool-cycle': 1 },
      found: 3,
      recovered: 1,
      wasted: { calls: 15, tokens: 900 },
      liveSessions: 1,
      firstAt: START - 600 * MINUTE,
    });
    expect(overview.openItems.map(({ id }) => id)).toEqual(['cycle', 'open', 'old']);
    const sum = (counts: Partial<Record<string, number>>) =>
      Object.values(counts).reduce<number>((all, count) => all + (count ?? 0), 0);
    expect(overview.buckets.reduce((all, { incidents }) => all + sum(incidents), 0)).toBe(overview.found);
    expect(overview.detectors.reduce((all, { incidents }) => all + incidents, 0)).toBe(overview.found);
    expect(overview.detectors.reduce((all, { open }) => all + open, 0)).toBe(overview.open);
    expect(overview.detectors.find(({ detector }) => detector === 'tool-repeat')).toMatchObject({
      incidents: 2,
      open: 2,
      falsePositives: 1,
      falsePositiveRate: 1,
    });
    expect(overview.latency).toEqual({ p50Ms: 12, p95Ms: 12, incidents: 3 });
  });

  it('overview: sums count what lies in the range alone, although buckets begin at whole intervals', async () => {
    const { database } = await make();
    const from = START - 7 * 24 * 60 * MINUTE + 12_345;
    const times = [from - 1, from, from + 1, START - MINUTE];
    await writeVerdicts(
      database,
      times.map((time, index) => ({
        verdict: { ...verdict({ incidentId: `i-${String(index)}`, time }), detectedAt: time },
        arrivedAt: START,
      })),
    );
    for (const query of [{ lastMs: START - from }, { from, to: START }]) {
      const overview = await readOverview(database, query, START);
      expect(overview).toMatchObject({
        from,
        to: START,
        found: 3,
        latency: { incidents: 3 },
        rate: { loops: 3 },
      });
      const [first] = overview.buckets;
      expect(first).toMatchObject({ incidents: { 'tool-repeat': 2 } });
      expect((first?.at ?? 0) % (60 * MINUTE)).toBe(0);
      expect(overview.rate.previous).toBeNull();
      expect(overview.rate.steps[0]).toMatchObject({ at: first?.at, loops: 2 });
    }
  });

  it('overview: counts quiet incidents apart from open ones', async () => {
    const overview = await readOverview(await filled(), { lastMs: 60 * MINUTE }, START + 5 * MINUTE);
    expect(overview).toMatchObject({ open: 0, quiet: 3, openByDetector: {}, openItems: [], liveSessions: 0 });
  });

  it('overview: lists only loops as looping, while limits and outages are counted', async () => {
    const { database } = await make();
    const found = [
      verdict({ incidentId: 'loop' }),
      verdict({ incidentId: 'limit', kind: 'limit', detector: 'budget', tool: null }),
      verdict({ incidentId: 'outage', kind: 'outage', detector: 'outage' }),
    ];
    await writeVerdicts(
      database,
      found.map((one) => ({ verdict: one, arrivedAt: START })),
    );
    const overview = await readOverview(database, { lastMs: 60 * MINUTE }, START + 1);
    expect(overview.openItems.map(({ id }) => id)).toEqual(['loop']);
    expect(overview).toMatchObject({
      open: 3,
      openByDetector: { 'tool-repeat': 1, budget: 1, outage: 1 },
      found: 1,
      limits: 1,
      outages: 1,
    });
  });

  it('overview: rates count sessions without loops, and compare with the period before', async () => {
    const { database } = await make();
    const at = (minutes: number) => START + minutes * MINUTE;
    const session = (id: string, minutes: number, usd?: number) => ({
      id,
      summary: summary(id, {
        startedAt: at(minutes),
        lastEventAt: at(minutes),
        ...(usd !== undefined && { usd }),
      }),
      at: at(minutes),
    });
    const cost = { calls: 5, turns: 5, characters: 0, tokens: 9, usd: 0.5, ms: 1 };
    await database.transaction(async (tx) => {
      await writeSummaries(tx, [
        session('a', -70, 1),
        session('b', -10, 2),
        session('c', -20),
        session('d', -600),
      ]);
      await writeVerdicts(
        tx,
        [
          verdict({ incidentId: 'before', sessionId: 'a', time: at(-70), cost, agent: 'x' }),
          verdict({ incidentId: 'now', sessionId: 'b', time: at(-10), cost, agent: 'y' }),
          verdict({
            incidentId: 'limit',
            kind: 'limit',
            detector: 'budget',
            tool: null,
            time: at(-10),
            cost,
          }),
        ].map((one) => ({ verdict: one, arrivedAt: START })),
      );
    });
    const { rate } = await readOverview(database, { lastMs: 60 * MINUTE }, START);
    expect(rate).toMatchObject({
      loops: 1,
      sessions: 2,
      wastedUsd: 0.5,
      usd: 2,
      previous: { loops: 1, sessions: 1, wastedUsd: 0.5, usd: 1 },
      stepMs: 5 * MINUTE,
    });
    expect(
      rate.steps.map(({ loops, sessions }) => [loops, sessions]).filter(([, sessions]) => sessions),
    ).toEqual([
      [0, 1],
      [1, 1],
    ]);
    // Nothing to compare with.
    expect((await readOverview(database, { lastMs: 10 * 60 * MINUTE }, START)).rate.previous).toBeNull();
  });

  it('overview: counts the loops of agents that loop now, by step', async () => {
    const { rate } = await readOverview(await filled(), { lastMs: 60 * MINUTE }, START + 2.5 * MINUTE);
    expect(rate.agents.map(({ agent, loops }) => [agent, loops.reduce((sum, count) => sum + count)])).toEqual(
      [['checkout-agent', 3]],
    );
  });

  it('overview: the default range covers the data, from 5 minutes to 6 hours', async () => {
    const { database } = await make();
    const spanAt = async (now: number) => {
      const { from, to } = await readOverview(database, {}, now);
      return Math.floor((to - from) / MINUTE);
    };
    expect(await spanAt(START), 'no data').toBe(360);
    await database.transaction((tx) =>
      writeSummaries(tx, [{ id: 's-1', summary: summary('s-1'), at: START }]),
    );
    const spans: [age: number, span: number][] = [
      ...([
        [1, 5],
        [5, 5],
        [6, 15],
        [16, 60],
        [61, 360],
        [6_000, 360],
      ] as [number, number][]),
    ];
    for (const [age, span] of spans) expect(await spanAt(START + age * MINUTE), String(age)).toBe(span);
  });
});

it('shared result: read once for all clients at the same time, and again after half a second', async () => {
  let now = START;
  const read: number[] = [];
  const shared = new SharedResult({
    read: (_query: { readonly lastMs?: number }, at) => {
      read.push(at);
      return Promise.resolve({ asOf: at });
    },
    now: () => now,
    minAgeMs: 500,
    maxShare: 0.1,
    maxAgeMs: 4_000,
  });
  await Promise.all([shared.get({}), shared.get({}), shared.get({ lastMs: 5 * MINUTE })]);
  expect(read).toEqual([START, START]);
  now += 499;
  expect((await shared.get({})).asOf).toBe(START);
  now += 1;
  expect((await shared.get({})).asOf).toBe(now);
});

it('shared result: read again after its maximum age, however slow that is', async () => {
  let now = START;
  const shared = new SharedResult({
    read: (_query: object, at) => Promise.resolve(at),
    now: () => now,
    minAgeMs: 500,
    // Any duration exceeds it.
    maxShare: Number.MIN_VALUE,
    maxAgeMs: 4_000,
  });
  await shared.get({});
  now += 3_999;
  expect(await shared.get({})).toBe(START);
  now += 1;
  expect(await shared.get({})).toBe(now);
});
