import type { IncidentFilter, IncidentPage, IncidentSort } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import type { Paging, Sorting } from '../http/parse-query.ts';
import { pageOfIds } from '../storage/page-query.ts';
import { countOfIncidents } from '../storage/sums.ts';
import { incidentConditions } from './filter.ts';
import { incidentItems } from './read-incidents.ts';

const columns: Readonly<Record<IncidentSort, string>> = {
  detectedAt: 'detected_at',
  lastAt: 'last_at',
  count: 'count',
  calls: 'calls',
  tokens: 'tokens',
  usd: 'usd',
  duration: 'duration',
  confidence: 'confidence',
};

/** @param now wall clock, epoch ms */
export async function listIncidents(
  database: Queryable,
  filter: IncidentFilter,
  { sort, now, ...paging }: Paging & { readonly sort: Sorting<IncidentSort>; readonly now: number },
): Promise<IncidentPage> {
  const conditions = incidentConditions(filter, now);
  const page = await pageOfIds(database, {
    table: 'incidents',
    countOfAll: countOfIncidents,
    conditions,
    columns,
    sort,
    ...paging,
  });
  return { ...page, items: await incidentItems(database, page.items, now) };
}
