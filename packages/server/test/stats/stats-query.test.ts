import { expect, it } from 'vitest';
import { parseStatsQuery } from '../../src/stats/stats-query.ts';

const read = (query: Record<string, string>) => parseStatsQuery(query, 1_000_000_000);

it('statistics: by time without groupBy, else the most expensive groups of the time', () => {
  expect(read({})).toMatchObject({ range: { to: 1_000_000_000 } });
  expect(read({ groupBy: 'tag:env', agent: 'coder', from: '5', to: '10' })).toEqual({
    groupBy: 'tag:env',
    from: 5,
    to: 10,
    compare: false,
    filter: { agent: ['coder'] },
    limit: 20,
    sort: { by: 'usd', descending: true },
  });
});

it.each([
  [
    { groupBy: 'color' },
    'groupBy: must be one of agent, model, tool, tenant, agentVersion, detector, tag:NAME',
  ],
  [{ groupBy: 'tag:' }, 'groupBy: must be one of'],
  [{ groupBy: 'agent', compare: 'lastweek' }, 'compare: must be previous'],
  [{ agent: 'coder' }, 'agent: requires groupBy'],
  [{ groupBy: 'agent', bucketMs: '1000' }, 'bucketMs: cannot be combined with groupBy'],
  [{ groupBy: 'agent', sort: '-increase' }, 'sort: increase requires compare=previous'],
  [{ groupBy: 'agent', limit: '0' }, 'limit: '],
  [{ groupBy: 'agent', color: 'red' }, 'color: unknown parameter; expected one of groupBy, compare'],
  [{ groupBy: 'agent', tag: 'env' }, 'tag: must be name:value'],
])('statistics: %o is rejected with what is allowed', (query, detail) => {
  expect(() => read(query)).toThrow(detail);
});
