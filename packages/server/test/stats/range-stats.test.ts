import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { rangeStats } from '../../src/stats/range-stats.ts';
import { changeTriage } from '../../src/triage/write-triage.ts';
import { START, verdict } from '../verdicts.ts';

onBothDatabases(({ make }) => {
  it('range statistics: open incidents, triage and cost by detector', async () => {
    const { database } = await make();
    const tokens = { calls: 5, turns: 5, characters: 0, tokens: 900, usd: 0.25, ms: 1 };
    const verdicts = [
      verdict({ incidentId: 'open', time: START }),
      verdict({ incidentId: 'judged', time: START + 60_000, cost: tokens }),
      verdict({ incidentId: 'judged', time: START + 60_000, phase: 'resolved', count: 9, cost: tokens }),
      verdict({ incidentId: 'wrong', time: START + 120_000, phase: 'resolved', count: 3 }),
      verdict({
        incidentId: 'cycle',
        time: START + 120_000,
        detector: 'tool-cycle',
        cost: { ...tokens, tokens: 50, usd: null },
      }),
      verdict({ incidentId: 'late', time: START + 900_000 }),
    ];
    const who = { by: 'operator', at: START };
    await database.transaction(async (tx) => {
      await writeVerdicts(
        tx,
        verdicts.map((one) => ({ verdict: one, arrivedAt: START })),
      );
      await changeTriage(tx, ['judged'], { status: 'acknowledged' }, who);
      await changeTriage(tx, ['wrong'], { status: 'false_positive' }, who);
    });
    const stats = await rangeStats(database, { from: START, to: START + 600_000, bucketMs: 60_000 }, START);
    const of = (detector: string) => stats.detectors.find((one) => one.detector === detector);
    expect(of('tool-repeat')).toEqual({
      detector: 'tool-repeat',
      incidents: 3,
      open: 1,
      acknowledged: 1,
      falsePositives: 1,
      falsePositiveRate: 0.5,
      wasted: { calls: 13, tokens: 900, usd: 0.25, unpriced: 0 },
    });
    expect(of('tool-cycle')).toMatchObject({ incidents: 1, open: 1, falsePositiveRate: null });
    expect(of('outage')).toMatchObject({
      incidents: 0,
      wasted: { calls: 0, tokens: null, usd: null, unpriced: 0 },
    });
    expect(stats.buckets.slice(0, 3).map(({ incidents }) => incidents)).toEqual([
      { 'tool-repeat': 1 },
      { 'tool-repeat': 1 },
      { 'tool-repeat': 1, 'tool-cycle': 1 },
    ]);
    expect(stats.wasted).toEqual({ calls: 18, tokens: 950, usd: 0.25, unpriced: 1 });
  });
});
