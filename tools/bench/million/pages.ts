import { breakdownDimensions, groupSorts, incidentSorts, sessionSorts } from '@loopwatch/contract/api';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The queries that pages send: their name and path. @param now wall clock, epoch ms */
export function pageQueries(now: number): readonly (readonly [name: string, path: string])[] {
  const ago = (ms: number): string => String(now - ms);
  const sessions = (query: string) => `/sessions?limit=50${query}`;
  const incidents = (query: string) => `/incidents?limit=50${query}`;
  const spans = { '5 minutes': HOUR / 12, '15 minutes': HOUR / 4, '1 hour': HOUR, '6 hours': 6 * HOUR };
  const longSpans = { '24 hours': DAY, '7 days': 7 * DAY, '30 days': 30 * DAY };
  return [
    ['overview', '/overview'],
    ...Object.entries({ ...spans, ...longSpans }).map(
      ([name, ms]) => [`overview, ${name}`, `/overview?lastMs=${String(ms)}`] as const,
    ),
    ['overview, a week ago', `/overview?from=${ago(8 * DAY)}&to=${ago(7 * DAY)}`],
    ...sessionSorts.flatMap((sort) => [
      [`sessions, sort -${sort}`, sessions(`&sort=-${sort}`)] as const,
      [`sessions, sort ${sort}`, sessions(`&sort=${sort}`)] as const,
      [`sessions of an agent, sort -${sort}`, sessions(`&agent=ops-agent&sort=-${sort}`)] as const,
      [`sessions of no agent, sort -${sort}`, sessions(`&agent=nobody&sort=-${sort}`)] as const,
    ]),
    ...[
      ...['agent=ops-agent', 'model=qwen3-coder', 'backend=google', 'tenant=acme', 'agentVersion=7'],
      ...['state=live', 'state=quiet', 'state=ended', 'state=live&state=quiet'],
      ...['tag=team:t3', 'tag=branch:b7', 'tag=run:m-7', 'tag=team:nothing'],
      ...['incidents=open', 'incidents=any', 'incidents=none', 'tool=web_search', 'tool=nothing'],
      ...['q=service', 'q=777123', 'q=nothing-like-it', `from=${ago(HOUR)}`, `from=${ago(7 * DAY)}`],
      ...[`agent=ops-agent&model=qwen3-coder&from=${ago(DAY)}`, 'agent=ops-agent&incidents=any'],
    ].map((filter) => [`sessions, ${nameOf(filter)}`, sessions(`&${filter}`)] as const),
    ...incidentSorts.flatMap((sort) => [
      [`incidents, sort -${sort}`, incidents(`&sort=-${sort}`)] as const,
      [`incidents, sort ${sort}`, incidents(`&sort=${sort}`)] as const,
    ]),
    ...[
      ...[
        'q=module-7',
        'q=service',
        'q=change number 777123',
        'q=nothing-like-it',
        'q=module-7&sort=-count',
        'detector=tool-repeat',
        'kind=outage',
        'state=open',
      ],
      ...['state=quiet', 'state=resolved', 'state=open&state=quiet', 'action=block', 'tool=web_search'],
      ...['tool=nothing', 'sessionId=m-7', 'model=qwen3-coder', 'agent=planner', 'agent=nobody'],
      ...['tenant=acme', 'triage=new', 'triage=muted', 'open=true', 'open=false', `from=${ago(DAY)}`],
      ...['detector=outage&agent=planner&sort=-count'],
    ].map((filter) => [`incidents, ${nameOf(filter)}`, incidents(`&${filter}`)] as const),
    ...groupSorts.map((sort) => [`groups -${sort}`, `/incident-groups?limit=50&sort=-${sort}`] as const),
    ...['agent=planner', 'state=open', `from=${ago(7 * DAY)}`, 'q=module-7'].map(
      (filter) => [`groups, ${nameOf(filter)}`, `/incident-groups?limit=50&${filter}`] as const,
    ),
    ...[...breakdownDimensions, 'tag:team', 'tag:branch', 'tag:run'].flatMap((by) =>
      Object.entries({ '1 hour': HOUR, ...longSpans }).map(
        ([name, ms]) =>
          [
            `by ${by}, ${name}`,
            `/stats?groupBy=${by}&compare=previous&limit=50&sort=-usd&from=${ago(ms)}`,
          ] as const,
      ),
    ),
    ...['agent=planner', 'model=qwen3-coder', 'detector=tool-repeat', 'tag=team:t3', 'q=module-7'].flatMap(
      (filter) =>
        ['agent', 'tool', 'tag:team'].flatMap((by) =>
          Object.entries(longSpans).map(
            ([name, ms]) =>
              [
                `by ${by}, ${name}, ${filter}`,
                `/stats?groupBy=${by}&compare=previous&limit=50&sort=-usd&from=${ago(ms)}&${filter}`,
              ] as const,
          ),
        ),
    ),
    ['statistics', '/stats'],
    ['verdicts', '/verdicts?limit=50'],
    ['session', '/sessions/m-7'],
    ['status', '/status'],
    ['budgets', '/budgets'],
    ['notifications', '/notifications'],
    ['samples', '/samples'],
    ['settings', '/settings'],
    ['mutes', '/mutes'],
  ];
}

function nameOf(filter: string): string {
  return filter.replace(/from=\d+/, 'from');
}
