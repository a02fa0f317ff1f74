import type { SessionFilter, SessionPage, SessionSort } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { Conditions } from '../storage/conditions.ts';
import { type Paging, pageOfIds, type Sorting } from '../storage/page-query.ts';
import { sessionItems } from './read-sessions.ts';

const columns: Readonly<Record<SessionSort, string>> = {
  lastEventAt: 'last_event_at',
  startedAt: 'started_at',
  events: 'events',
  turns: 'turns',
  toolCalls: 'tool_calls',
  characters: 'characters',
  tokens: 'tokens',
  incidents: 'incidents',
};

export async function listSessions(
  database: Queryable,
  filter: SessionFilter,
  { sort, ...paging }: Paging & { readonly sort: Sorting<SessionSort> },
): Promise<SessionPage> {
  const conditions = sessionConditions(filter);
  const page = await pageOfIds(database, { table: 'sessions', conditions, columns, sort, ...paging });
  return { ...page, items: await sessionItems(database, page.items) };
}

function sessionConditions(filter: SessionFilter): Conditions {
  const conditions = new Conditions();
  conditions.contains('search', filter.q);
  conditions.anyOf('state', filter.state);
  conditions.anyOf('model', filter.model);
  conditions.anyOf('backend', filter.backend);
  conditions.anyOf('agent', filter.agent);
  conditions.anyOf('tenant', filter.tenant);
  conditions.between('last_event_at', filter.from, filter.to);
  if (filter.incidents === 'open') conditions.add('incidents_open > 0');
  if (filter.incidents === 'any') conditions.add('incidents > 0');
  if (filter.incidents === 'none') conditions.add('incidents = 0');
  return conditions;
}
