import { type AgentEvent, detectionSchema, type SessionSummary, type Verdict } from '@loopwatch/contract';
import type { BreakdownActivity, BreakdownDimension } from '@loopwatch/contract/api';
import { detectionOf, reportOf, type SessionAccount, SessionAnalyzer } from '@loopwatch/detectors/internal';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventsOf, loopingTurns } from '../../../detectors/test/looping-turns.ts';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { incidentItems } from '../../src/incidents/read-incidents.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { breakdown } from '../../src/stats/breakdown.ts';
import { currentStats } from '../../src/stats/current-stats.ts';
import { readOverview } from '../../src/stats/overview.ts';
import { rangeStats } from '../../src/stats/range-stats.ts';
import { START, summary } from '../verdicts.ts';

const DAY = 86_400_000;
const detection = detectionOf(
  detectionSchema.parse({ preset: 'balanced', budget: { calls: 30 }, tool_call_limit: { max_turns: 12 } }),
);

/** What a session leaves behind: its verdicts, and its summary at the end, which open loops have outgrown. */
function sessionOf(sessionId: string, events: readonly AgentEvent[], more: Partial<AgentEvent>, at: number) {
  const analyzer = new SessionAnalyzer(sessionId, detection);
  const verdicts = events.flatMap((event, i) =>
    analyzer
      .push({ ...event, ...more, time: at + i * 1000 })
      .verdicts.map((verdict): Verdict => ({ ...verdict, detectedAt: verdict.time })),
  );
  const { account, incidents: openIncidents } = reportOf(analyzer.state);
  const told: SessionSummary = summary(sessionId, {
    events: account.events,
    toolCalls: account.toolCalls,
    tokens: account.tokens,
    usd: account.usd,
    agent: account.agent,
    model: account.model,
    startedAt: at,
    lastEventAt: Math.max(at, analyzer.lastTime),
    openIncidents: [...openIncidents],
  });
  return { verdicts, told, account };
}

/** What the sessions did, added up without the database. */
function activityOf(accounts: readonly SessionAccount[]): BreakdownActivity {
  const tokens = accounts
    .flatMap((account) => account.tokens ?? [])
    .map(({ input, output }) => input + output);
  const usd = accounts.flatMap((account) => account.usd ?? []);
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  return {
    sessions: accounts.length,
    calls: sum(accounts.map(({ toolCalls }) => toolCalls)),
    tokens: tokens.length === 0 ? null : sum(tokens),
    usd: usd.length === 0 ? null : (expect.closeTo(sum(usd), 6) as number),
    unpriced: accounts.filter((account) => account.tokens !== null && account.usd === null).length,
    priced: usd.length,
    usdSquares:
      usd.length === 0 ? null : (expect.closeTo(sum(usd.map((value) => value * value)), 6) as number),
  };
}

const sessions = fc.array(
  fc.record({
    turns: loopingTurns,
    agent: fc.constantFrom('coder', 'writer'),
    model: fc.constantFrom('m-1', 'm-2'),
    day: fc.nat(4),
  }),
  { minLength: 1, maxLength: 5 },
);

onBothDatabases(({ make }) => {
  it('what loops wasted is the same in all sums: of sessions, agents, models, detectors, days and in total', async () => {
    await fc.assert(
      fc.asyncProperty(sessions, async (all) => {
        const { database } = await make();
        const ids: string[] = [];
        const accounts: SessionAccount[] = [];
        for (const [i, { turns, agent, model, day }] of all.entries()) {
          const made = sessionOf(`s-${String(i)}`, eventsOf(turns), { agent, model }, START + day * DAY);
          const read = made.verdicts.map((verdict) => ({ verdict, arrivedAt: verdict.time }));
          await writeVerdicts(database, read);
          await writeSummaries(database, [
            { id: made.told.sessionId, summary: made.told, at: made.told.lastEventAt },
          ]);
          const own = [...new Set(made.verdicts.map(({ incidentId }) => incidentId))];
          ids.push(...own);
          accounts.push(made.account);
          const items = await incidentItems(database, own, START);
          expect(items.reduce((sum, { wasted }) => sum + (wasted?.calls ?? 0), 0)).toBeLessThanOrEqual(
            made.account.toolCalls,
          );
        }
        const now = START + 6 * DAY;
        const items = await incidentItems(database, ids, now);
        const loops = items.filter(({ kind }) => kind === 'loop');
        const priced = loops.flatMap(({ wasted }) => wasted?.usd ?? []);
        const expected = {
          calls: loops.reduce((sum, { wasted }) => sum + wasted!.calls, 0),
          tokens: loops.length === 0 ? null : loops.reduce((sum, { wasted }) => sum + wasted!.tokens!, 0),
          usd:
            priced.length === 0
              ? null
              : expect.closeTo(
                  priced.reduce((sum, usd) => sum + usd, 0),
                  6,
                ),
          unpriced: loops.filter(({ wasted }) => wasted?.usd === null).length,
        };
        const overview = await readOverview(database, { from: START - DAY, to: now }, now);
        expect(overview).toMatchObject({ found: loops.length, wasted: expected });
        expect(overview.limits + overview.outages).toBe(items.length - loops.length);
        const sumOf = (parts: readonly { readonly calls: number; readonly tokens: number | null }[]) => [
          parts.reduce((sum, { calls }) => sum + calls, 0),
          parts.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0),
        ];
        const whole = [expected.calls, expected.tokens ?? 0];
        expect(sumOf(overview.buckets.map(({ wasted }) => wasted))).toEqual(whole);
        expect(sumOf(overview.detectors.map(({ wasted }) => wasted))).toEqual(whole);
        expect(await currentStats(database, now)).toMatchObject(expected);
        const charts = await rangeStats(database, { from: START - DAY, to: now, bucketMs: DAY }, now);
        expect(charts.wasted).toMatchObject(expected);
        expect(sumOf(charts.buckets.map(({ wasted }) => wasted))).toEqual(whole);
        for (const groupBy of ['agent', 'model', 'detector', 'tool'] satisfies BreakdownDimension[]) {
          const request = {
            groupBy,
            from: START - DAY,
            to: now,
            compare: false,
            filter: {},
            limit: 1,
            sort: { by: 'rate', descending: true },
          } as const;
          const { groups, other, total, apart } = await breakdown(database, request, now);
          const parts = other === null ? groups : [...groups, other];
          expect(total).toMatchObject({ ...expected, incidents: loops.length });
          expect(sumOf(parts)).toEqual(whole);
          expect(total.activity).toEqual(activityOf(accounts));
          for (const { activity } of parts) {
            if (groupBy === 'detector' || groupBy === 'tool') expect(activity).toEqual(total.activity);
          }
          if (groupBy === 'agent' || groupBy === 'model') {
            const one = groups[0]!;
            expect(one.activity).toEqual(
              activityOf(accounts.filter((account) => account[groupBy] === one.value)),
            );
            expect(other?.activity ?? activityOf([])).toEqual(
              activityOf(accounts.filter((account) => account[groupBy] !== one.value)),
            );
            // No more is wasted than was used.
            for (const { sessions, calls, tokens, activity } of parts) {
              expect(sessions).toBeLessThanOrEqual(activity.sessions);
              expect(calls).toBeLessThanOrEqual(activity.calls);
              expect(tokens ?? 0).toBeLessThanOrEqual(activity.tokens ?? 0);
            }
          }
          expect(apart.limits + apart.outages).toBe(items.length - loops.length);
        }
      }),
      { seed: 8, numRuns: 6 },
    );
  });
});
