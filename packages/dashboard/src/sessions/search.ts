import { type SessionFilter, sessionStates } from '@loopwatch/contract/api';
import { type Search, valueOf, valuesOf } from '../lib/search.ts';
import { allTime, readRange, type TimeRange, writeRange } from '../lib/time-range.ts';

/** Search params of the session list. */
export interface SessionSearch {
  readonly filter: Omit<SessionFilter, 'from' | 'to'>;
  readonly range: TimeRange;
  readonly sort: string;
  /** Id of the session open beside the list. */
  readonly peek: string | undefined;
  readonly ignored: readonly string[];
}

export const sessionSortNames: Readonly<Record<string, string>> = {
  '-lastEventAt': 'Latest event first',
  '-startedAt': 'Newest first',
  '-incidents': 'Most incidents',
  '-events': 'Most events',
  '-toolCalls': 'Most calls',
  '-usd': 'Highest cost',
  '-tokens': 'Most tokens',
  '-characters': 'Most characters',
};

/** Filters with free values. */
export const textFilters = [
  'tool',
  'agent',
  'model',
  'backend',
  'tenant',
  'agentVersion',
  'tag',
  'parent',
] as const;
export type TextFilter = (typeof textFilters)[number];

/** Names of filters in the search box and on chips. */
export const filterNames: Readonly<Record<TextFilter, string>> = {
  tool: 'tool',
  agent: 'agent',
  model: 'model',
  backend: 'backend',
  tenant: 'tenant',
  agentVersion: 'version',
  tag: 'tag',
  parent: 'parent',
};

const known = new Set<string>([
  ...textFilters,
  ...['q', 'state', 'incidents', 'sort', 'range', 'from', 'to', 'peek'],
]);

export function readSessionSearch(search: Search): SessionSearch {
  const { range, ignored } = readRange(search, allTime);
  const filter: Record<string, unknown> = {};
  const states = valuesOf(search, 'state').filter((value) =>
    (sessionStates as readonly string[]).includes(value),
  );
  if (states.length > 0) filter['state'] = states;
  else ignored.push(...valuesOf(search, 'state').map((value) => `state=${value}`));
  const incidents = valueOf(search, 'incidents');
  if (incidents === 'open' || incidents === 'any' || incidents === 'none') filter['incidents'] = incidents;
  else if (incidents !== undefined) ignored.push(`incidents=${incidents}`);
  const q = valueOf(search, 'q')?.trim().slice(0, 200);
  if (q !== undefined && q !== '') filter['q'] = q;
  for (const name of textFilters) {
    const values = valuesOf(search, name).filter((value) => value !== '');
    if (values.length > 0) filter[name] = values;
  }
  const asked = valueOf(search, 'sort');
  const sort = asked !== undefined && Object.hasOwn(sessionSortNames, asked) ? asked : '-lastEventAt';
  if (asked !== undefined && asked !== sort) ignored.push(`sort=${asked}`);
  ignored.push(...Object.keys(search).filter((name) => !known.has(name)));
  return { filter, range, sort, peek: valueOf(search, 'peek'), ignored };
}

/** The inverse of {@link readSessionSearch}. */
export function writeSessionSearch({ filter, range, sort, peek }: Omit<SessionSearch, 'ignored'>): Search {
  return {
    ...filter,
    ...writeRange(range, allTime),
    sort: sort === '-lastEventAt' ? undefined : sort,
    peek,
  };
}
