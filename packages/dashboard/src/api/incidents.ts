import {
  type BreakdownDimension,
  breakdownSchema,
  groupTriageResultSchema,
  type IncidentFilter,
  type IncidentItem,
  incidentDetailSchema,
  incidentGroupPageSchema,
  incidentPageSchema,
  type TriagePatch,
  triageResultSchema,
} from '@loopwatch/contract/api';
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { rangeLimits, type TimeRange } from '../lib/time-range.ts';
import { request, send } from './client.ts';
import { allPages } from './pages.ts';

/** Filters of the API, and a time range that may be relative to now. */
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

/** The number of incidents by the values of one dimension. */
export function facetQuery(groupBy: BreakdownDimension, filter: IncidentQuery['filter'], range: TimeRange) {
  return queryOptions({
    queryKey: ['incidents', 'facet', groupBy, filter, range],
    queryFn: ({ signal }) =>
      request(breakdownSchema, '/stats', {
        query: {
          // Without these, only loops of the last hour are counted.
          kind: ['loop', 'limit', 'outage'],
          from: 0,
          ...parameters({ filter, range, sort: '-incidents' }, ''),
          groupBy,
          limit: 20,
        },
        signal,
      }),
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

/** Every incident of a query, for a download. @param onPage called after each page with the number of items so far */
export function allIncidents(
  query: IncidentQuery,
  onPage: (read: number) => void,
  signal: AbortSignal,
): Promise<IncidentItem[]> {
  return allPages(
    (page) =>
      request(incidentPageSchema, '/incidents', {
        query: { ...parameters(query, '-detectedAt'), ...page },
        signal,
      }),
    onPage,
  );
}

export function patchIncidents(ids: readonly string[], change: TriagePatch) {
  return request(triageResultSchema, '/incidents', { method: 'PATCH', body: { ids, change } });
}

export function deleteComment(id: string, revision: number) {
  return send(`/incidents/${encodeURIComponent(id)}/comments/${String(revision)}`, { method: 'DELETE' });
}

/** Every incident of the group. */
export function patchGroup(key: string, change: TriagePatch) {
  return request(groupTriageResultSchema, `/incident-groups/${encodeURIComponent(key)}`, {
    method: 'PATCH',
    body: change,
  });
}
