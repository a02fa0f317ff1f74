import type { SessionFilter, SessionPage, SessionSort } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import type { Paging, Sorting } from '../http/parse-query.ts';
import { Conditions } from '../storage/conditions.ts';
import { pageOfIds } from '../storage/page-query.ts';
import { isInStateSql } from '../storage/state-sql.ts';
import { countOfSessions } from '../storage/sums.ts';
import { sessionItems } from './read-sessions.ts';

const columns: Readonly<Record<SessionSort, string>> = {
  lastEventAt: 'last_event_at',
  startedAt: 'started_at',
  events: 'events',
  turns: 'turns',
  toolCalls: 'tool_calls',
  characters: 'characters',
  tokens: 'tokens',
  usd: 'usd',
  incidents: 'incidents',
};

/** @param now wall clock, epoch ms */
export async function listSessions(
  database: Queryable,
  filter: SessionFilter,
  { sort, now, ...paging }: Paging & { readonly sort: Sorting<SessionSort>; readonly now: number },
): Promise<SessionPage> {
  const conditions = sessionConditions(filter, now);
  const page = await pageOfIds(database, {
    table: 'sessions',
    countOfAll: countOfSessions,
    conditions,
    columns,
    sort,
    ...paging,
  });
  return { ...page, items: await sessionItems(database, page.items, now) };
}

function sessionConditions(filter: SessionFilter, now: number): Conditions {
  const conditions = new Conditions();
  const { state, tool } = filter;
  conditions.searches('sessions.id', filter.q);
  if (state !== undefined && state.length > 0)
    conditions.add(isInStateSql('live', state, () => conditions.parameter(now)));
  if (tool !== undefined && tool.length > 0) {
    const tools = tool.map((name) => conditions.parameter(name)).join(', ');
    conditions.add(
      `exists (select 1 from incidents i where i.session_id = sessions.id and i.tool in (${tools}))`,
    );
  }
  conditions.labels(filter);
  conditions.anyOf('parent', filter.parent);
  conditions.between('last_event_at', filter.from, filter.to);
  if (filter.incidents === 'open') {
    conditions.add(
      `incidents_open > 0 and ${isInStateSql('live', ['live'], () => conditions.parameter(now))}`,
    );
  }
  if (filter.incidents === 'any') conditions.add('incidents > 0');
  if (filter.incidents === 'none') conditions.add('incidents = 0');
  return conditions;
}
