import { nextWeek, weekOf, weekRange } from '@loopwatch/contract/api';
import { describe, expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { weeklyReport } from '../../src/stats/weekly-report.ts';
import { summary, verdict } from '../verdicts.ts';

describe('weeks', () => {
  it.each([
    ['2026-11-23T00:00:00Z', '2026-W48'],
    ['2026-11-22T23:59:59Z', '2026-W47'],
    ['2027-01-01T12:00:00Z', '2026-W53'],
    ['2024-12-30T00:00:00Z', '2025-W01'],
    ['2021-01-03T00:00:00Z', '2020-W53'],
  ])('week: %s is in %s, which contains it', (text, week) => {
    const time = Date.parse(text);
    expect(weekOf(time)).toBe(week);
    const { from = Infinity, to = 0 } = weekRange(week) ?? {};
    expect(from <= time && time < to).toBe(true);
  });

  it.each(['2026-W00', '2025-W53', '2026-W60', '2026-48', ''])('week: %j is none', (week) => {
    expect(weekRange(week)).toBeUndefined();
  });

  it('week: the next one of the last of a year is the first of the next', () => {
    expect([nextWeek('2026-W53', 1), nextWeek('2027-W01', -1)]).toEqual(['2027-W01', '2026-W53']);
  });
});

onBothDatabases(({ make }) => {
  it('weekly report: names agents that got clearly worse, and the most expensive loops', async () => {
    const { database } = await make();
    const { from } = weekRange('2026-W31') ?? { from: 0 };
    const HOUR = 3_600_000;
    const sessions = ['worse', 'same', 'rare'].flatMap((agent) =>
      Array.from({ length: agent === 'rare' ? 5 : 60 }, (_, n) => ({
        id: `${agent}-${String(n)}`,
        agent,
        // Half of them in the week before.
        at: from + (n % 2 === 0 ? HOUR : -HOUR),
        loops: agent === 'same' ? n % 10 < 2 : n % 2 === 0,
        usd: n / 100,
      })),
    );
    await database.transaction(async (tx) => {
      await writeSummaries(
        tx,
        sessions.map(({ id, agent, at }) => ({
          id,
          summary: summary(id, { agent, startedAt: at, lastEventAt: at, usd: 2 }),
          at,
        })),
      );
      await writeVerdicts(
        tx,
        sessions
          .filter(({ loops }) => loops)
          .map(({ id, agent, at, usd }) => {
            const cost = { calls: 5, turns: 5, characters: 0, tokens: 9, usd, ms: 1 };
            const one = verdict({ incidentId: `i-${id}`, sessionId: id, agent, time: at, cost });
            return { verdict: one, arrivedAt: at };
          }),
      );
    });
    const report = await weeklyReport(database, undefined, from + 8 * 24 * HOUR);
    expect(report).toMatchObject({ week: '2026-W31', from });
    expect(report.worse.map(({ value }) => value)).toEqual(['worse']);
    expect(report.total).toMatchObject({
      incidents: 30 + 6 + 3,
      activity: { sessions: 63, usd: 126 },
      previous: { incidents: 6, activity: { sessions: 62 } },
    });
    expect(report.loops.map(({ cost }) => cost.usd)).toEqual([0.58, 0.56, 0.54, 0.52, 0.5]);
  });

  it('weekly report: is empty without sessions', async () => {
    const { database } = await make();
    expect(await weeklyReport(database, '2026-W31', 0)).toMatchObject({
      worse: [],
      loops: [],
      total: { incidents: 0, usd: null, activity: { sessions: 0 } },
    });
  });
});
