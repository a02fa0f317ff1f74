import type { IncidentFilter } from '@loopwatch/contract/api';
import { expect, it } from 'vitest';
import { onBothDatabases } from '../../../storage/test/databases.ts';
import { listIncidents } from '../../src/incidents/list-incidents.ts';
import { writeVerdicts } from '../../src/incidents/write-verdicts.ts';
import { writeSummaries } from '../../src/sessions/write-summaries.ts';
import { type BreakdownRequest, breakdown } from '../../src/stats/breakdown.ts';
import { START, summary, verdict } from '../verdicts.ts';

const HOUR = 3_600_000;
const request: BreakdownRequest = {
  groupBy: 'agent',
  from: START,
  to: START + HOUR,
  compare: true,
  filter: {},
  limit: 20,
  sort: { by: 'usd', descending: true },
};
const costOf = (usd: number | null, tokens: number | null = 100) => ({
  calls: 5,
  turns: 5,
  characters: 0,
  tokens,
  usd,
  ms: 1,
});

onBothDatabases(({ make }) => {
  const filled = async () => {
    const { database } = await make();
    const verdicts = [
      verdict({ incidentId: 'a1', sessionId: 's-1', agent: 'coder', cost: costOf(2), agentVersion: '1.2.0' }),
      verdict({ incidentId: 'a2', sessionId: 's-9', agent: 'coder', cost: costOf(4), agentVersion: '1.3.0' }),
      verdict({
        incidentId: 'a3',
        sessionId: 's-1',
        agent: 'coder',
        cost: costOf(null),
        tags: { env: 'a:b' },
      }),
      verdict({
        incidentId: 'b1',
        sessionId: 's-1',
        agent: 'writer',
        cost: costOf(1),
        tags: { env: 'prod' },
      }),
      verdict({ incidentId: 'c1', sessionId: 's-4', agent: null, cost: costOf(null, null) }),
      verdict({ incidentId: 'p1', sessionId: 's-5', agent: 'coder', cost: costOf(3), detectedAt: START - 1 }),
      verdict({
        incidentId: 'p2',
        sessionId: 's-6',
        agent: 'gone',
        cost: costOf(9),
        detectedAt: START - HOUR,
      }),
      verdict({ incidentId: 'p3', sessionId: 's-6', agent: 'gone', detectedAt: START - HOUR - 1 }),
    ];
    await database.transaction((tx) =>
      writeVerdicts(
        tx,
        verdicts.map((one) => ({ verdict: one, arrivedAt: START })),
      ),
    );
    return (part: Partial<BreakdownRequest>) => breakdown(database, { ...request, ...part }, START);
  };

  it('breakdown: sums by agent with the preceding period, most expensive first, unknown names as null', async () => {
    const sums = await filled();
    const { groups, other, total, previous } = await sums({});
    expect(groups.map(({ value, incidents, usd }) => [value, incidents, usd])).toEqual([
      ['coder', 3, 6],
      ['writer', 1, 1],
      [null, 1, null],
      ['gone', 0, null],
    ]);
    expect(groups[0]).toMatchObject({ sessions: 2, calls: 15, tokens: 300, unpriced: 1 });
    expect(groups[0]?.previous).toMatchObject({ incidents: 1, sessions: 1, usd: 3 });
    expect(groups[0]?.change).toEqual({ incidents: 2, sessions: 1, calls: 2, tokens: 2, usd: 1 });
    // Nothing before: no share can be taken of it.
    expect(groups[1]?.change?.incidents).toBeNull();
    expect(groups[3]?.change).toMatchObject({ incidents: -1, usd: -1 });
    expect(other).toBeNull();
    expect(total).toMatchObject({ incidents: 5, sessions: 3, previous: { incidents: 2, usd: 12 } });
    expect(previous).toEqual({ from: START - HOUR, to: START });
  });

  it('breakdown: sums the groups beyond the limit, counting each session once', async () => {
    const sums = await filled();
    const { groups, other } = await sums({ limit: 1, groupBy: 'agentVersion', compare: false });
    expect(groups.map(({ value }) => value)).toEqual(['1.3.0']);
    expect(other).toMatchObject({ values: 2, incidents: 4, sessions: 2, usd: 3 });
    expect(other).not.toHaveProperty('previous');
  });

  it('breakdown: by tag, and narrowed by the filters of incidents', async () => {
    const sums = await filled();
    const named = (groups: readonly { value: string | null; incidents: number }[]) =>
      groups.map(({ value, incidents }) => [value, incidents]);
    const once = { compare: false, groupBy: 'tag:env' } as const;
    expect(named((await sums(once)).groups)).toEqual([
      [null, 3],
      ['prod', 1],
      ['a:b', 1],
    ]);
    const only = (filter: IncidentFilter) => sums({ compare: false, groupBy: 'agent', filter });
    expect(named((await only({ tag: ['env:a:b', 'env:prod'] })).groups)).toEqual([
      ['writer', 1],
      ['coder', 1],
    ]);
    expect(named((await only({ agentVersion: ['1.2.0'] })).groups)).toEqual([['coder', 1]]);
    expect(named((await sums({ groupBy: 'detector', compare: false })).groups)).toEqual([['tool-repeat', 5]]);
  });

  it('breakdown: compares loops with all sessions of a group, those without loops included', async () => {
    const { database } = await make();
    const loops = ['s-1', 's-1', 's-2'].map((sessionId, i) => ({
      verdict: verdict({ incidentId: `i-${String(i)}`, sessionId, agent: 'coder', cost: costOf(1) }),
      arrivedAt: START,
    }));
    await writeVerdicts(database, loops);
    const told = [
      summary('s-1', { agent: 'coder', toolCalls: 30, usd: 4, tokens: { input: 900, output: 0 } }),
      summary('s-2', { agent: 'coder', toolCalls: 10, usd: null, tokens: { input: 100, output: 0 } }),
      summary('s-3', { agent: 'calm', toolCalls: 7, usd: 2, tokens: { input: 50, output: 0 } }),
      summary('s-4', { agent: null, toolCalls: 1, usd: null, tokens: null }),
      // Lasted from the previous period into this one, and ended in the previous one.
      summary('s-5', { agent: 'calm', toolCalls: 1, startedAt: START - HOUR }),
      summary('s-6', { agent: 'gone', startedAt: START - HOUR, lastEventAt: START - 1 }),
      summary('s-7', { agent: 'later', startedAt: START + HOUR, lastEventAt: START + HOUR }),
    ];
    await writeSummaries(
      database,
      told.map((one) => ({ id: one.sessionId, summary: one, at: START })),
    );
    const sums = (part: Partial<BreakdownRequest>) => breakdown(database, { ...request, ...part }, START);
    const { groups, total } = await sums({ sort: { by: 'rate', descending: true } });
    expect(
      groups.map(({ value, incidents, activity, previous }) => [
        value,
        incidents,
        activity.sessions,
        previous?.activity.sessions,
      ]),
    ).toEqual([
      ['coder', 3, 2, 0],
      ['calm', 0, 2, 1],
      [null, 0, 1, 0],
      ['gone', 0, 0, 1],
    ]);
    expect(groups[0]?.activity).toEqual({
      sessions: 2,
      calls: 40,
      tokens: 1000,
      usd: 4,
      unpriced: 1,
      priced: 1,
      usdSquares: 16,
    });
    expect(total.activity.sessions).toBe(5);
    const narrow = await sums({ filter: { agent: ['calm'] }, groupBy: 'tool' });
    expect(narrow.groups).toEqual([]);
    expect(narrow.total).toMatchObject({ incidents: 0, activity: { sessions: 2, calls: 8 } });
  });

  it('breakdown: sorts by increase', async () => {
    const sums = await filled();
    const { groups } = await sums({ sort: { by: 'increase', descending: true } });
    expect(groups.map(({ value }) => value)).toEqual(['coder', 'writer', null, 'gone']);
  });

  it('breakdown: the total without incidents is zero', async () => {
    const sums = await filled();
    const { groups, other, total } = await sums({ filter: { agent: ['nobody'] } });
    expect([groups, other]).toEqual([[], null]);
    expect(total).toMatchObject({ incidents: 0, sessions: 0, calls: 0, tokens: null, usd: null });
  });

  it('incidents: carry the version of the agent and the tags of the session', async () => {
    const { database } = await make();
    const tagged = verdict({ agentVersion: '2.0.1', tags: { team: 'search' } });
    await database.transaction((tx) => writeVerdicts(tx, [{ verdict: tagged, arrivedAt: START }]));
    const { items } = await listIncidents(
      database,
      { tag: ['team:search'], agentVersion: ['2.0.1'] },
      { now: START, limit: 10, cursor: undefined, sort: { by: 'detectedAt', descending: true } },
    );
    expect(items).toMatchObject([{ agentVersion: '2.0.1', tags: { team: 'search' } }]);
  });
});
