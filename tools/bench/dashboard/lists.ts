import { performance } from 'node:perf_hooks';
import { groupSorts, incidentSorts } from '@loopwatch/contract/api';
import { median } from '../measure.ts';

const ROUNDS = 5;
const PAGE = 100;

export interface ListTiming {
  readonly name: string;
  readonly ms: number;
  readonly maxMs: number;
}

/** Requests every list of the dashboard over HTTP, as pages do: the median response time over several rounds. */
export async function timeLists(url: string): Promise<ListTiming[]> {
  const deep = await deepCursor(url, 200);
  const hour = Date.now() - 3_600_000;
  const incidents = (query: string) => `/incidents?limit=${String(PAGE)}${query}`;
  const [first] = (await get(url, incidents(''))).items as { groupKey: string; sessionId: string }[];
  if (first === undefined) throw new Error('There are incidents');
  const requests: [name: string, path: string][] = [
    ['page 1', incidents('')],
    ['page 201', incidents(`&cursor=${deep}`)],
    ...incidentSorts.flatMap((sort): [string, string][] => [
      [`sort -${sort}`, incidents(`&sort=-${sort}`)],
      [`sort ${sort}`, incidents(`&sort=${sort}`)],
    ]),
    ...[
      ...[
        'q=module',
        'q=nothing-like-it',
        'detector=tool-repeat',
        'kind=outage',
        'state=open',
        'action=block',
      ],
      ...['tool=web_search', `sessionId=${first.sessionId}`, 'model=qwen3-coder', 'backend=google'],
      ...[
        'agent=planner',
        'tenant=acme',
        `group=${first.groupKey}`,
        'triage=new',
        'triage=muted',
        'open=true',
      ],
      ...[`from=${String(hour)}`, 'detector=outage&agent=planner&sort=-count'],
    ].map((filter): [string, string] => [
      `filter ${filter.replace(/=.*/, '')}: ${filter}`,
      incidents(`&${filter}`),
    ]),
    ...groupSorts.map((sort): [string, string] => [
      `groups -${sort}`,
      `/incident-groups?limit=${String(PAGE)}&sort=-${sort}`,
    ]),
    ['groups of a filter', `/incident-groups?limit=${String(PAGE)}&agent=planner`],
    ['verdicts', `/verdicts?limit=${String(PAGE)}`],
    ['sessions', `/sessions?limit=${String(PAGE)}`],
    ['sessions by incidents', `/sessions?limit=${String(PAGE)}&sort=-incidents`],
    ['stats of an hour', '/stats'],
    ['stats of a day', `/stats?from=${String(Date.now() - 24 * 3_600_000)}`],
  ];
  const timed: ListTiming[] = [];
  for (const [name, path] of requests) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now();
      await get(url, path);
      times.push(performance.now() - start);
    }
    timed.push({ name, ms: median(times), maxMs: Math.max(...times) });
  }
  return timed;
}

async function deepCursor(url: string, pages: number): Promise<string> {
  let cursor = '';
  for (let page = 0; page < pages; page += 1) {
    const { nextCursor } = await get(url, `/incidents?limit=${String(PAGE)}${cursor && `&cursor=${cursor}`}`);
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return cursor;
}

export async function get(
  url: string,
  path: string,
): Promise<{ items: unknown[]; nextCursor: string | null; total: number }> {
  const response = await fetch(`${url}/api/v1${path}`);
  if (!response.ok) throw new Error(`${path}: ${String(response.status)} ${await response.text()}`);
  return (await response.json()) as { items: unknown[]; nextCursor: string | null; total: number };
}
