import type { Verdict } from '@loopwatch/contract';
import type { Database } from '@loopwatch/storage';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { removeIncidents, removeSessions } from '../../src/retention/remove-oldest.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { activeSessions } from '../../src/stats/active-sessions.ts';
import { type BreakdownRequest, breakdown } from '../../src/stats/breakdown.ts';
import { currentStats } from '../../src/stats/current-stats.ts';
import { incidentsInRange } from '../../src/stats/incidents-in-range.ts';
import { latencyInRange } from '../../src/stats/latency-in-range.ts';
import { loopRate } from '../../src/stats/loop-rate.ts';
import type { TimeRange } from '../../src/stats/query-range.ts';
import { changeTriage } from '../../src/triage/write-triage.ts';
import { START, summary, verdict } from '../verdicts.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** Seconds after the start: within three hours and a bit, so that hours are complete and cut. */
const time = fc.integer({ min: 0, max: 11_500 }).map((seconds) => START + seconds * SECOND);
const id = fc.integer({ min: 0, max: 4 });
const usd = fc.constantFrom(undefined, 0.1, 0.2, 0.7);

const change = fc.oneof(
  fc.record({
    kind: fc.constant('summary' as const),
    id,
    times: fc.tuple(time, time),
    usd,
    tokens: fc.constantFrom(null, { input: 7, output: 3 }, { input: 0.5, output: 3 }),
    agent: fc.constantFrom('a', 'b', null),
    tenant: fc.constantFrom('t', 'u'),
    toolCalls: fc.nat(9),
    team: fc.constantFrom('x', 'y', undefined),
  }),
  // Sessions with several loops are what sums can get wrong.
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('verdict' as const),
      id,
      time,
      usd,
      phase: fc.constantFrom('opened' as const, 'escalated' as const, 'resolved' as const),
      outcome: fc.constantFrom('recovered' as const, 'ended' as const, 'disabled' as const),
      detector: fc.constantFrom('tool-repeat' as const, 'tool-cycle' as const, 'budget' as const),
      latency: fc.constantFrom(12, 480, 7_000),
      agent: fc.constantFrom('a', 'b', null),
      tool: fc.constantFrom('read', 'write', 'find', null),
      team: fc.constantFrom('x', 'y', undefined),
    }),
  },
  fc.record({
    kind: fc.constant('triage' as const),
    id,
    status: fc.constantFrom(
      'acknowledged' as const,
      'false_positive' as const,
      'muted' as const,
      'new' as const,
    ),
  }),
  fc.record({ kind: fc.constant('again' as const) }),
  fc.record({ kind: fc.constant('expired' as const), id }),
  fc.record({ kind: fc.constant('retention' as const), before: time }),
  fc.record({ kind: fc.constant('erased' as const), id }),
);
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;

const range = fc
  .tuple(time, time, fc.constantFrom(HOUR, 10 * MINUTE, MINUTE, 7_000), fc.constantFrom(1, MINUTE, HOUR))
  .map(([a, b, bucketMs, unit]): TimeRange => {
    const from = Math.floor(Math.min(a, b) / unit) * unit;
    return { from, to: Math.max(a, b) + 1, bucketMs: Math.max(bucketMs, Math.ceil((3 * HOUR) / 500)) };
  });

/** Every time of a change. */
const WHOLE: TimeRange = { from: START, to: START + 4 * HOUR, bucketMs: HOUR };

interface Session {
  readonly started_at: number;
  readonly last_event_at: number;
  readonly usd: number;
  readonly tokens: number;
  readonly tool_calls: number;
  readonly agent: string | null;
  readonly tenant: string;
  readonly tags: { readonly team?: string } | null;
}

interface IncidentRow {
  readonly session_id: string;
  readonly kind: string;
  readonly detector: string;
  readonly agent: string | null;
  readonly tool: string | null;
  readonly tags: { readonly team?: string } | null;
  readonly state: string;
  readonly outcome: string | null;
  readonly triage: string;
  readonly detected_at: number;
  readonly latency_ms: number | null;
  readonly wasted_calls: number;
  readonly wasted_usd: number;
}

onBothDatabases(({ make, kind }) => {
  it('statistics: stored sums are those of the rows, after any changes, for any range', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 30 }),
        fc.array(range, { minLength: 1, maxLength: 3 }),
        async (changes, ranges) => {
          const { database } = await make();
          for (const [index] of changes.entries()) await apply(database, changes, index);
          const sessions = await database.query<Session>('select * from sessions');
          const incidents = await database.query<IncidentRow>('select * from incidents');
          for (const one of [...ranges, WHOLE]) await compare(database, one, sessions, incidents);
          const stats = await currentStats(database, START);
          expect(stats).toMatchObject({
            kept: incidents.length,
            resolved: {
              recovered:
                stats.dropped === 0
                  ? count(incidents, ({ outcome }) => outcome === 'recovered')
                  : expect.any(Number),
            },
          });
          expect(stats.open + stats.quiet).toBe(
            count(
              incidents,
              ({ state, triage }) => state === 'open' && triage !== 'muted' && triage !== 'false_positive',
            ),
          );
        },
      ),
      { seed: 11, numRuns: kind === 'pglite' ? 6 : 20, endOnFailure: true },
    );
  });
});

function count<T>(rows: readonly T[], matches: (row: T) => boolean): number {
  return rows.filter(matches).length;
}

async function apply(database: Database, changes: readonly Change[], index: number): Promise<void> {
  const one = changes[index]!;
  const session = 'id' in one ? `s-${String(one.id)}` : '';
  const write = (work: Parameters<Database['transaction']>[0]) => database.transaction(work);
  switch (one.kind) {
    case 'summary': {
      const [startedAt, lastEventAt] = one.times.toSorted((a, b) => a - b) as [number, number];
      const { usd: dollars, tokens, agent, tenant, toolCalls, team } = one;
      const told = summary(session, {
        startedAt,
        lastEventAt,
        tokens,
        agent,
        tenant,
        toolCalls,
        ...(team !== undefined && { tags: { team } }),
        ...(dollars !== undefined && { usd: dollars }),
      });
      return write((tx) =>
        writeSummaries(tx, [{ id: session, summary: told, at: lastEventAt }]),
      ) as Promise<void>;
    }
    case 'verdict': {
      const { phase, outcome, detector, latency, agent, tool, team, usd: dollars } = one;
      const made: Verdict = verdict({
        phase,
        detector,
        agent,
        sessionId: session,
        incidentId: `i-${String(one.id)}-${detector}`,
        time: one.time,
        tool: tool === null ? null : { name: tool, signature: tool },
        ...(team !== undefined && { tags: { team } }),
        id: `v-${String(index)}`,
        kind: detector === 'budget' ? 'limit' : 'loop',
        detectedAt: one.time + latency,
        cost: {
          calls: 3,
          turns: 3,
          characters: 0,
          tokens: 10,
          ms: 1,
          ...(dollars !== undefined && { usd: dollars }),
        },
        ...(phase === 'resolved' && { outcome, action: 'none' }),
      });
      return write(async (tx) => {
        await writeVerdicts(tx, [{ verdict: made, arrivedAt: one.time }]);
      }) as Promise<void>;
    }
    case 'triage':
      return write(async (tx) => {
        await changeTriage(
          tx,
          [`i-${String(one.id)}-tool-repeat`],
          { status: one.status, ...(one.status === 'muted' && { mutedUntil: null }) },
          { by: 'operator', at: START },
        );
      }) as Promise<void>;
    case 'again':
      if (index > 0 && changes[index - 1]!.kind !== 'again') await apply(database, changes, index - 1);
      return;
    case 'expired':
      return write((tx) =>
        writeSummaries(tx, [{ id: session, summary: null, at: START + 1e12 }]),
      ) as Promise<void>;
    case 'retention':
      await removeIncidents(database, { limit: 2, before: one.before });
      await removeSessions(database, { limit: 2, before: one.before });
      return;
    case 'erased':
      await database.query('delete from incidents where session_id = $1', [session]);
      await database.query('delete from sessions where id = $1', [session]);
  }
}

async function compare(
  database: Database,
  asked: TimeRange,
  sessions: readonly Session[],
  incidents: readonly IncidentRow[],
): Promise<void> {
  const { from, to, bucketMs } = asked;
  const within = incidents.filter((one) => one.detected_at >= from && one.detected_at < to);
  const loops = within.filter(({ kind }) => kind === 'loop');
  const bucketOf = (at: number) => Math.floor((at - from) / bucketMs);
  const active = await activeSessions(database, asked);
  const isActive = (first: number, end: number) => (one: Session) =>
    one.last_event_at >= first && one.started_at < end;
  expect(active).toEqual(
    active.map((_, index) =>
      count(sessions, isActive(from + index * bucketMs, Math.min(to, from + (index + 1) * bucketMs))),
    ),
  );
  const found = await incidentsInRange(database, asked);
  for (const detector of ['tool-repeat', 'tool-cycle', 'budget'] as const) {
    const own = within.filter((one) => one.detector === detector);
    expect(found.detector(detector)).toMatchObject({
      incidents: own.length,
      acknowledged: count(own, ({ triage }) => triage === 'acknowledged'),
      falsePositives: count(own, ({ triage }) => triage === 'false_positive'),
      wasted: {
        calls: own.reduce((sum, one) => sum + one.wasted_calls, 0),
        usd: dollarsOf(own.map((one) => one.wasted_usd)),
      },
    });
    for (const index of active.keys())
      expect(found.bucket(index).find((row) => row.detector === detector)?.found ?? 0).toBe(
        count(own, ({ detected_at: at }) => bucketOf(at) === index),
      );
  }
  const latencies = await latencyInRange(database, asked);
  expect(latencies.all?.incidents ?? 0).toBe(count(within, ({ latency_ms: ms }) => ms !== null));
  const inRange = sessions.filter(isActive(from, to));
  const rate = await loopRate(database, asked, ['a', 'b']);
  expect(rate).toMatchObject({
    loops: loops.length,
    sessions: inRange.length,
    usd: dollarsOf(inRange.map((one) => one.usd)),
    wastedUsd: dollarsOf(loops.map((one) => one.wasted_usd)),
  });
  for (const { agent, loops: steps } of rate.agents)
    expect(steps.reduce((sum, n) => sum + n, 0)).toBe(count(loops, (one) => one.agent === agent));
  for (const tenant of [undefined, 't']) {
    const request = {
      groupBy: 'agent',
      from,
      to,
      compare: true,
      limit: 9,
      filter: { tenant: tenant === undefined ? [] : [tenant] },
      sort: { by: 'usd', descending: true },
    } as const;
    const { total, groups } = await breakdown(database, request, START);
    const own = inRange.filter((one) => tenant === undefined || one.tenant === tenant);
    expect(total.activity).toEqual(activityOf(own));
    for (const { value, activity } of groups)
      expect(activity.sessions).toBe(count(own, ({ agent }) => agent === value));
  }
  for (const groupBy of Object.keys(dimensions) as (keyof typeof dimensions)[])
    for (const limit of [1, 9])
      for (const filter of [{}, { agent: ['a'] }, ...(limit === 1 ? [] : [{ tag: ['team:x'] }])])
        await compareGroups(database, { groupBy, from, to, limit, filter }, incidents, sessions);
}

const dimensions = {
  agent: (one: IncidentRow) => one.agent,
  tool: (one: IncidentRow) => one.tool,
  detector: (one: IncidentRow) => one.detector,
  'tag:team': (one: IncidentRow) => one.tags?.team ?? null,
};

/** Groups, what is beyond the limit and the total are those of the rows, in the period and in the one before. */
async function compareGroups(
  database: Database,
  asked: Pick<BreakdownRequest, 'from' | 'to' | 'limit'> & {
    readonly groupBy: keyof typeof dimensions;
    readonly filter: { readonly agent?: string[]; readonly tag?: string[] };
  },
  incidents: readonly IncidentRow[],
  sessions: readonly Session[],
): Promise<void> {
  const { groupBy, from, to, filter } = asked;
  const sort = { by: 'incidents', descending: true } as const;
  const { groups, other, total, apart } = await breakdown(database, { ...asked, compare: true, sort }, START);
  const matches = ({ agent, tags }: Pick<Session, 'agent' | 'tags'>) =>
    (filter.agent?.includes(agent ?? '') ?? true) &&
    (filter.tag?.includes(`team:${tags?.team ?? ''}`) ?? true);
  const found = incidents.filter(matches);
  const loops = found.filter(({ kind }) => kind === 'loop');
  expect(apart.limits).toBe(
    count(found, ({ kind, detected_at: at }) => kind === 'limit' && at >= from && at < to),
  );
  const sums = (rows: readonly IncidentRow[]) => ({
    incidents: rows.length,
    sessions: new Set(rows.map((one) => one.session_id)).size,
    calls: rows.reduce((sum, one) => sum + one.wasted_calls, 0),
    usd: dollarsOf(rows.map((one) => one.wasted_usd)),
  });
  const expected = (isOne: (value: string | null) => boolean) => {
    const own = loops.filter((one) => isOne(dimensions[groupBy](one)));
    const within = (start: number, end: number) =>
      sums(own.filter(({ detected_at: at }) => at >= start && at < end));
    return { ...within(from, to), previous: within(from - (to - from), from) };
  };
  const named = new Set(groups.map(({ value }) => value));
  for (const group of groups) expect(group).toMatchObject(expected((value) => value === group.value));
  const isActive = (one: Session) => one.last_event_at >= from && one.started_at < to && matches(one);
  const active = sessions.filter(isActive);
  expect(total.activity).toEqual(activityOf(active));
  if (groupBy === 'tag:team')
    for (const { value, activity } of groups)
      expect(activity).toEqual(activityOf(active.filter(({ tags }) => (tags?.team ?? null) === value)));
  const rest = expected((value) => !named.has(value));
  if (other !== null) expect(other).toMatchObject(rest);
  else expect([rest.incidents, rest.previous.incidents]).toEqual([0, 0]);
  expect(total).toMatchObject(expected(() => true));
}

function activityOf(own: readonly Session[]): unknown {
  return {
    sessions: own.length,
    calls: own.reduce((sum, one) => sum + one.tool_calls, 0),
    tokens: known(own.map(({ tokens }) => tokens)),
    usd: dollarsOf(own.map((one) => one.usd)),
    unpriced: count(own, (one) => one.tokens >= 0 && one.usd < 0),
    priced: count(own, (one) => one.usd >= 0),
    usdSquares: dollarsOf(own.map((one) => (one.usd < 0 ? -1 : one.usd ** 2))),
  };
}

function known(amounts: readonly number[]): number | null {
  const some = amounts.filter((amount) => amount >= 0);
  return some.length === 0 ? null : some.reduce((sum, amount) => sum + amount, 0);
}

function dollarsOf(amounts: readonly number[]): unknown {
  const sum = known(amounts);
  return sum === null ? null : expect.closeTo(sum, 9);
}
