import {
  type IncidentFilter,
  type IncidentItem,
  incidentDetailSchema,
  incidentGroupPageSchema,
  incidentPageSchema,
  type TriagePatch,
  triagedSchema,
} from '@loopwatch/contract/api';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { rangeLimits, type TimeRange } from '../ui/time-range.ts';
import { request } from './client.ts';

/** What a list of incidents is asked for: the filters of the API, and a range that goes along with the clock. */
export interface IncidentQuery {
  readonly filter: Omit<IncidentFilter, 'from' | 'to'>;
  readonly range: TimeRange;
  readonly sort: string;
}

const PAGE = 100;

function parameters({ filter, range, sort }: IncidentQuery, standardSort: string) {
  return { ...filter, ...rangeLimits(range, Date.now()), ...(sort !== standardSort && { sort }) };
}

export function incidentsQuery(query: IncidentQuery) {
  return infiniteQueryOptions({
    queryKey: ['incidents', 'list', query],
    queryFn: ({ pageParam, signal }) =>
      request(incidentPageSchema, '/incidents', {
        query: { ...parameters(query, '-detectedAt'), limit: PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

export function incidentGroupsQuery(query: IncidentQuery) {
  return infiniteQueryOptions({
    queryKey: ['incidents', 'groups', query],
    queryFn: ({ pageParam, signal }) =>
      request(incidentGroupPageSchema, '/incident-groups', {
        query: { ...parameters(query, '-lastSeen'), limit: PAGE, cursor: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
}

/** One incident with its evidence. */
export function incidentQuery(id: string) {
  return queryOptions({
    queryKey: ['incidents', 'one', id],
    queryFn: ({ signal }) =>
      request(incidentDetailSchema, `/incidents/${encodeURIComponent(id)}`, { signal }),
  });
}

/** Every incident of a query, page after page, for a download. @param onPage told after each page */
export async function allIncidents(
  query: IncidentQuery,
  onPage: (read: number, total: number) => void,
  signal: AbortSignal,
): Promise<IncidentItem[]> {
  const items: IncidentItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await request(incidentPageSchema, '/incidents', {
      query: { ...parameters(query, '-detectedAt'), limit: 200, cursor },
      signal,
    });
    items.push(...page.items);
    onPage(items.length, page.total);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

export function patchIncidents(ids: readonly string[], change: TriagePatch) {
  return request(triagedSchema, '/incidents', { method: 'PATCH', body: { ids, change } });
}
