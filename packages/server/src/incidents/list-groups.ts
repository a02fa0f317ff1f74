import type { Verdict } from '@loopwatch/contract';
import type { GroupSort, IncidentFilter, IncidentGroup, IncidentGroupPage } from '@loopwatch/contract/api';
import { jsonText, type Queryable, triageSql } from '@loopwatch/storage';
import type { Paging, Sorting } from '../http/parse-query.ts';
import { Conditions } from '../storage/conditions.ts';
import { pageOfIds } from '../storage/page-query.ts';
import { incidentStateSql } from '../storage/state-sql.ts';
import { rankedActions } from './columns.ts';
import { incidentConditions } from './filter.ts';
import { type RowOfVerdicts, toRow } from './fold.ts';
import { readFigures } from './latest-figures.ts';
import { readRow } from './stored-fold.ts';

const columns: Readonly<Record<GroupSort, string>> = {
  lastSeen: 'last_seen',
  firstSeen: 'first_seen',
  occurrences: 'occurrences',
  calls: 'calls',
  tokens: 'tokens',
  usd: 'usd',
};

interface GroupRow {
  readonly id: string;
  readonly occurrences: number;
  readonly open: number;
  readonly quiet: number;
  readonly sessions: number;
  readonly first_seen: number;
  readonly last_seen: number;
  readonly action: number;
  readonly calls: number;
  readonly turns: number;
  readonly tokens: number;
  readonly usd: number;
  readonly ms: number;
  readonly new: number;
  readonly acknowledged: number;
  readonly muted: number;
  readonly false_positive: number;
}

/** Lists groups of identical loops. @param now wall clock, epoch ms */
export async function listGroups(
  database: Queryable,
  filter: IncidentFilter,
  { sort, now, ...paging }: Paging & { readonly sort: Sorting<GroupSort>; readonly now: number },
): Promise<IncidentGroupPage> {
  const matching = incidentConditions(filter, now);
  const groups = `(select group_key as id, count(*)::float8 as occurrences, min(detected_at) as first_seen,
    max(detected_at) as last_seen, sum(${used('calls')})::float8 as calls,
    ${rounded(sumOfKnown(used('tokens')))} as tokens, ${rounded(sumOfKnown(used('usd')))} as usd
    from incidents ${matching.where} group by group_key) as groups`;
  const conditions = new Conditions();
  conditions.parameters.push(...matching.parameters);
  const page = await pageOfIds(database, {
    table: groups,
    isComputed: true,
    conditions,
    columns,
    sort,
    ...paging,
  });
  return { ...page, items: await groupsOf(database, page.items, filter, now) };
}

/** The sum of the known values; null when none is known. */
function sumOfKnown(amount: string): string {
  return `sum(${amount}) filter (where ${amount} >= 0)`;
}

/** -1 when unknown, as in the table. Rounded: a float sum depends on the order of its rows, and paging compares it. */
function rounded(sum: string): string {
  return `coalesce(round((${sum})::numeric, 9), -1)::float8`;
}

/** What a loop wasted, so that overlapping loops count each call once; what was used by limits and outages. */
function used(column: 'calls' | 'tokens' | 'usd'): string {
  return `(case when kind = 'loop' then wasted_${column} else ${column} end)`;
}

async function groupsOf(
  database: Queryable,
  keys: readonly string[],
  filter: IncidentFilter,
  now: number,
): Promise<IncidentGroup[]> {
  if (keys.length === 0) return [];
  const conditions = incidentConditions({ ...filter, group: [...keys] }, now);
  const at = conditions.parameter(now);
  const count = (which: string): string => `count(*) filter (where ${which})`;
  const sums = {
    occurrences: 'count(*)',
    // A sort in the order of bytes takes less time than one in a language's.
    sessions: 'count(distinct session_id collate "C")',
    first_seen: 'min(detected_at)',
    last_seen: 'max(detected_at)',
    action: 'max(action)',
    calls: 'sum(calls)',
    turns: 'sum(turns)',
    tokens: rounded(sumOfKnown('tokens')),
    usd: rounded(sumOfKnown('usd')),
    ms: 'sum(duration)',
    open: count(`state = 'open'`),
    quiet: count(`state = 'quiet'`),
    new: count(`status = 'new'`),
    acknowledged: count(`status = 'acknowledged'`),
    muted: count(`status = 'muted'`),
    false_positive: count(`status = 'false_positive'`),
  };
  const selected = Object.entries(sums).map(([name, sum]) => `(${sum})::float8 as ${name}`);
  const rows = await database.query<GroupRow>(
    `select id, ${selected.join(', ')}
     from (
       select group_key as id, session_id, detected_at, turns, duration, ${used('calls')} as calls, ${used('tokens')} as tokens,
         ${used('usd')} as usd, case action when 'block' then 3 when 'chance' then 2 when 'warn' then 1 else 0 end as action,
         ${incidentStateSql(at)} as state, ${triageSql(at)} as status
       from incidents ${conditions.where} offset 0
     ) as matching group by id`,
    conditions.parameters,
  );
  const latest = await latestOf(database, keys);
  const byKey = new Map(rows.map((row) => [row.id, row]));
  return keys.flatMap((key) => {
    const row = byKey.get(key);
    const newest = latest.get(key);
    return row === undefined || newest === undefined ? [] : [toGroup(row, newest)];
  });
}

async function latestOf(database: Queryable, keys: readonly string[]): Promise<Map<string, RowOfVerdicts>> {
  const rows = await database.query<{ key: string; fold: string; figures: string | null }>(
    `select k.key, d.fold, newest.figures from jsonb_array_elements_text($1::jsonb) as k(key)
     cross join lateral (
       select id, figures from incidents where group_key = k.key order by detected_at desc, id desc limit 1
     ) as newest join incident_docs d on d.id = newest.id`,
    [jsonText(keys)],
  );
  return new Map(rows.map(({ key, fold, figures }) => [key, toRow(readRow(fold), readFigures(figures))]));
}

function toGroup(row: GroupRow, latest: RowOfVerdicts): IncidentGroup {
  const { detector, kind, tool, agent, model, backend, title, reason } = latest;
  const { occurrences, open, quiet, sessions, calls, turns, ms } = row;
  const action: Verdict['action'] = rankedActions[row.action] ?? 'none';
  return {
    key: row.id,
    detector,
    kind,
    tool,
    agent,
    model,
    backend,
    title,
    arguments: latest.arguments,
    reason,
    latestId: latest.id,
    occurrences,
    open,
    quiet,
    sessions,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    action,
    cost: { calls, turns, tokens: known(row.tokens), usd: known(row.usd), ms },
    triage: {
      new: row.new,
      acknowledged: row.acknowledged,
      muted: row.muted,
      false_positive: row.false_positive,
    },
  };
}

function known(sum: number): number | null {
  return sum < 0 ? null : sum;
}
