import fc from 'fast-check';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { verdictStats } from '../../src/stats/verdict-stats.ts';
import { START, verdict } from '../verdicts.ts';

const range = { from: START, to: START + 3_600_000, bucketMs: 600_000 };

onBothDatabases(({ make, kind }) => {
  it('verdict statistics: percentiles match the sorted latencies within 1 %', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ at: fc.integer({ min: 0, max: 3_599_999 }), ms: fc.integer({ min: 0, max: 600_000 }) }),
          {
            minLength: 1,
            maxLength: 60,
          },
        ),
        async (seen) => {
          const { database } = await make();
          const verdicts = seen.map(({ at, ms }, n) =>
            verdict({
              id: `v-${String(n)}`,
              incidentId: `i-${String(n)}`,
              time: START + at,
              detectedAt: START + at + ms,
            }),
          );
          await database.transaction((tx) =>
            writeVerdicts(
              tx,
              verdicts.map((one) => ({ verdict: one, arrivedAt: 0 })),
            ),
          );
          const stats = await verdictStats(database, range);
          const sorted = seen.map(({ ms }) => ms).toSorted((a, b) => a - b);
          const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
          const { p50Ms = -1, p95Ms = -1, p99Ms = -1 } = stats.latency ?? {};
          for (const [told, real] of [
            [p50Ms, at(0.5)],
            [p95Ms, at(0.95)],
            [p99Ms, at(0.99)],
          ] as const) {
            expect(Math.abs(told - real)).toBeLessThanOrEqual(real < 1_000 ? 0 : real / 100);
          }
          const counted = Array.from({ length: 6 }, (_, n) => stats.bucket(n));
          const counts = counted.map(({ verdicts: own }) => own['tool-repeat'] ?? 0);
          const expected = counts.map(
            (_, n) => seen.filter(({ at: ms }) => Math.floor(ms / 600_000) === n).length,
          );
          expect(counts).toEqual(expected);
          expect(counted.map(({ latency }) => latency?.verdicts ?? 0)).toEqual(expected);
        },
      ),
      { numRuns: kind === 'pglite' ? 5 : 20 },
    );
  });

  it('verdict statistics: a range without verdicts is empty', async () => {
    const { database } = await make();
    const stats = await verdictStats(database, range);
    expect([stats.latency, stats.bucket(0)]).toEqual([null, { verdicts: {}, latency: null }]);
  });
});
