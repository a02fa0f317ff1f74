import type { Page } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import * as z from 'zod';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { Paging, Sorting } from '../http/parse-query.ts';
import type { Conditions } from './conditions.ts';

/** Rows of a filtered list are counted up to this number: counting a million takes seconds. */
const MAX_COUNTED = 10_000;

export interface PageQuery<Name extends string> extends Paging {
  readonly table: string;
  /** SQL of the number of all rows, from stored sums. */
  readonly countOfAll?: string;
  readonly conditions: Conditions;
  /** The column of each sort field: numeric, never null. */
  readonly columns: Readonly<Record<Name, string>>;
  readonly sort: Sorting<Name>;
}

export interface IdPage extends Page<string> {
  readonly items: string[];
}

/** The sort, the last item's value and id, and the total as counted for the first page, with whether there are more. */
const cursorSchema = (sort: string) =>
  z.tuple([z.literal(sort), z.number(), z.string(), z.int().nonnegative(), z.boolean()]);
const cursorAdvice = 'pass the nextCursor of a previous response for the same list and sort';

/** The ids of one page. The id makes the order total, so that paging neither skips nor repeats unchanged rows. */
export async function pageOfIds<Name extends string>(
  database: Queryable,
  query: PageQuery<Name>,
): Promise<IdPage> {
  const { table, conditions, columns, sort, limit, cursor } = query;
  const name = `${sort.descending ? '-' : ''}${sort.by}`;
  const after = cursor === undefined ? undefined : parseCursor(cursor, name);
  const column = columns[sort.by];
  const narrowed = conditions.copy();
  if (after !== undefined) {
    const position = `(${narrowed.parameter(after.value)}::float8, ${narrowed.parameter(after.id)}::text)`;
    narrowed.add(`(${column}, id) ${sort.descending ? '<' : '>'} ${position}`);
  }
  const order = sort.descending ? 'desc' : 'asc';
  const rows = await database.query<{ id: string; value: number }>(
    `select id, ${column}::float8 as value from ${table} ${narrowed.where}
     order by ${column} ${order}, id ${order} limit ${String(limit + 1)}`,
    narrowed.parameters,
  );
  const count = after?.count ?? (await countRows(database, query));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    items: page.map(({ id }) => id),
    nextCursor: hasMore
      ? encodeCursor([name, last.value, last.id, count.total, count.totalIsLowerBound === true])
      : null,
    ...count,
  };
}

type Count = Pick<IdPage, 'total' | 'totalIsLowerBound'>;

async function countRows<Name extends string>(
  database: Queryable,
  { table, countOfAll, conditions: { where, parameters } }: PageQuery<Name>,
): Promise<Count> {
  const isKnown = countOfAll !== undefined && where === '';
  const [row] = await database.query<{ total: number }>(
    isKnown
      ? `select (${countOfAll})::float8 as total`
      : `select count(*)::float8 as total from (select 1 from ${table} ${where} limit ${String(MAX_COUNTED + 1)}) as counted`,
    isKnown ? [] : parameters,
  );
  const total = row?.total ?? 0;
  return isKnown || total <= MAX_COUNTED ? { total } : { total: MAX_COUNTED, totalIsLowerBound: true };
}

function parseCursor(cursor: string, sort: string): { value: number; id: string; count: Count } {
  const [, value, id, total, isLowerBound] = decodeCursor('cursor', cursor, cursorSchema(sort), cursorAdvice);
  return { value, id, count: { total, ...(isLowerBound && { totalIsLowerBound: true }) } };
}
