import type { Page } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { z } from 'zod';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { Paging, Sorting } from '../http/parse-query.ts';
import type { Conditions } from './conditions.ts';

export interface PageQuery<Name extends string> extends Paging {
  readonly table: string;
  readonly conditions: Conditions;
  /** The column of each sort field: numeric, never null. */
  readonly columns: Readonly<Record<Name, string>>;
  readonly sort: Sorting<Name>;
}

export interface IdPage extends Page<string> {
  readonly items: string[];
}

/** The sort, the last item's value and id, and the total as counted for the first page. */
const cursorSchema = (sort: string) =>
  z.tuple([z.literal(sort), z.number(), z.string(), z.int().nonnegative()]);
const cursorAdvice = 'pass the nextCursor of a previous response for the same list and sort';

/** The ids of one page. The id makes the order total, so that paging neither skips nor repeats unchanged rows. */
export async function pageOfIds<Name extends string>(
  database: Queryable,
  { table, conditions, columns, sort, limit, cursor }: PageQuery<Name>,
): Promise<IdPage> {
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
  const total = after?.total ?? (await count(database, table, conditions));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return {
    items: page.map(({ id }) => id),
    nextCursor: hasMore ? encodeCursor([name, last.value, last.id, total]) : null,
    total,
  };
}

async function count(database: Queryable, table: string, { where, parameters }: Conditions): Promise<number> {
  const [row] = await database.query<{ total: number }>(
    `select count(*)::float8 as total from ${table} ${where}`,
    parameters,
  );
  return row?.total ?? 0;
}

function parseCursor(cursor: string, sort: string): { value: number; id: string; total: number } {
  const [, value, id, total] = decodeCursor('cursor', cursor, cursorSchema(sort), cursorAdvice);
  return { value, id, total };
}
