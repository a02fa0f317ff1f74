import { detectorIds } from '@loopwatch/contract';
import { type IncidentFilter, incidentStates, type TriageStatus } from '@loopwatch/contract/api';
import { type Search, valueOf, valuesOf } from '../lib/search.ts';
import { allTime, readRange, type TimeRange, writeRange } from '../lib/time-range.ts';

/** Search params of the incident list. */
export interface IncidentSearch {
  readonly filter: Filter;
  readonly range: TimeRange;
  readonly sort: string;
  readonly grouped: boolean;
  /** Id of the incident open beside the list. */
  readonly peek: string | undefined;
  /** Unknown or invalid params. */
  readonly ignored: readonly string[];
}

export type Filter = Omit<IncidentFilter, 'from' | 'to'>;
export type ListFilter = Exclude<keyof Filter, 'q' | 'open'>;

/** Filters with several values, and the allowed values of those with a closed set. */
export const listFilters = {
  detector: detectorIds,
  kind: ['loop', 'limit', 'outage'],
  state: incidentStates,
  action: ['warn', 'chance', 'block', 'none'],
  triage: ['new', 'acknowledged', 'muted', 'false_positive'] satisfies TriageStatus[],
  assignee: undefined,
  tool: undefined,
  agent: undefined,
  model: undefined,
  backend: undefined,
  tenant: undefined,
  agentVersion: undefined,
  tag: undefined,
  sessionId: undefined,
  group: undefined,
} satisfies Record<ListFilter, readonly string[] | undefined>;

export const listFilterNames = Object.keys(listFilters) as ListFilter[];

/** Names of filters in the search box and on chips. */
export const filterNames: Record<ListFilter, string> = {
  detector: 'detector',
  kind: 'kind',
  state: 'state',
  action: 'action',
  triage: 'triage',
  assignee: 'assignee',
  tool: 'tool',
  agent: 'agent',
  model: 'model',
  backend: 'backend',
  tenant: 'tenant',
  agentVersion: 'version',
  tag: 'tag',
  sessionId: 'session',
  group: 'cause',
};

export const sortNames: Readonly<Record<string, string>> = {
  '-detectedAt': 'Newest first',
  detectedAt: 'Oldest first',
  '-lastAt': 'Latest activity',
  '-count': 'Most repetitions',
  '-calls': 'Most calls',
  '-usd': 'Highest cost',
  '-tokens': 'Most tokens',
  '-duration': 'Longest',
  '-confidence': 'Most confident',
};
export const groupSortNames: Readonly<Record<string, string>> = {
  '-lastSeen': 'Latest first',
  '-occurrences': 'Most frequent',
  '-usd': 'Highest cost',
  '-tokens': 'Most tokens',
  '-calls': 'Most calls',
  firstSeen: 'Oldest first',
};

const known = new Set<string>([...listFilterNames, 'q', 'open', 'range', 'from', 'to', 'sort', 'by', 'peek']);

export function readIncidentSearch(search: Search): IncidentSearch {
  const { range, ignored } = readRange(search, allTime);
  const filter: Record<string, unknown> = {};
  for (const name of listFilterNames) {
    const allowed: readonly string[] | undefined = listFilters[name];
    // An empty assignee means unassigned.
    const given = valuesOf(search, name).filter((value) => value !== '' || name === 'assignee');
    const good = given.filter((value) => allowed?.includes(value) ?? true);
    ignored.push(...given.filter((value) => !good.includes(value)).map((value) => `${name}=${value}`));
    if (good.length > 0) filter[name] = good;
  }
  const q = valueOf(search, 'q')?.trim().slice(0, 200);
  if (q !== undefined && q !== '') filter['q'] = q;
  const open = valueOf(search, 'open');
  if (open === 'true' || open === 'false') filter['open'] = open === 'true';
  else if (open !== undefined) ignored.push(`open=${open}`);

  const grouped = valueOf(search, 'by') === 'cause';
  const sorts = grouped ? groupSortNames : sortNames;
  const asked = valueOf(search, 'sort');
  if (asked !== undefined && !Object.hasOwn(sorts, asked)) ignored.push(`sort=${asked}`);
  const sort = asked !== undefined && Object.hasOwn(sorts, asked) ? asked : (Object.keys(sorts)[0] ?? '');
  ignored.push(...Object.keys(search).filter((name) => !known.has(name)));
  return { filter, range, sort, grouped, peek: valueOf(search, 'peek'), ignored };
}

/** The inverse of {@link readIncidentSearch}. */
export function writeIncidentSearch({
  filter,
  range,
  sort,
  grouped,
  peek,
}: Omit<IncidentSearch, 'ignored'>): Search {
  const { q, open, ...lists } = filter;
  const standard = Object.keys(grouped ? groupSortNames : sortNames)[0];
  return {
    ...lists,
    q,
    open: open === undefined ? undefined : String(open),
    ...writeRange(range, allTime),
    sort: sort === standard ? undefined : sort,
    by: grouped ? 'cause' : undefined,
    peek,
  };
}

export function isFiltered({ filter, range }: Pick<IncidentSearch, 'filter' | 'range'>): boolean {
  return Object.keys(filter).length > 0 || range.kind !== 'all';
}

/** Adds a value, or removes it if present. */
export function toggle(filter: Filter, name: ListFilter, value: string): Filter {
  const values: readonly string[] = filter[name] ?? [];
  const next = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  return withValues(filter, name, next);
}

export function withValues(filter: Filter, name: ListFilter, values: readonly string[]): Filter {
  const rest = Object.fromEntries(Object.entries(filter).filter(([key]) => key !== name));
  return values.length === 0 ? rest : { ...rest, [name]: values };
}
