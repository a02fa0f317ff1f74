import type { Page } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import * as z from 'zod';
import { decodeCursor, encodeCursor } from '../http/cursor.ts';
import type { Paging, Sorting } from '../http/parse-query.ts';
import { Conditions } from './conditions.ts';

/** Rows of a filtered list are counted up to this number: counting a million takes seconds. */
const MAX_COUNTED = 10_000;

export interface PageQuery<Name extends string> extends Paging {
  readonly table: string;
  /** Whether the table is a query that reads many rows for each of its own, so that it runs once for page and count. */
  readonly isComputed?: boolean;
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

interface Position {
  readonly value: number;
  readonly id: string;
  readonly count: Count;
}

type Count = Pick<IdPage, 'total' | 'totalIsLowerBound'>;
interface Row {
  readonly id: string;
  readonly value: number;
}

/**
 * The ids of one page. The id makes the order total, so that paging neither skips nor repeats unchanged rows.
 *
 * Of a filtered list, one statement counts the matching rows and sorts them, if they are few: no index finds them in their order,
 * so that a second statement would read all rows again. Many are found soon in the order of the sort's index.
 */
export async function pageOfIds<Name extends string>(
  database: Queryable,
  query: PageQuery<Name>,
): Promise<IdPage> {
  const { sort, limit, cursor } = query;
  const name = `${sort.descending ? '-' : ''}${sort.by}`;
  const after = cursor === undefined ? undefined : parseCursor(cursor, name);
  const mayBeFew = query.conditions.where !== '' || query.countOfAll === undefined;
  const few =
    mayBeFew && after?.count.totalIsLowerBound !== true ? await pageOfFew(database, query, after) : undefined;
  const rows = few?.rows ?? (await pageOfMany(database, query, after));
  const count = after?.count ?? few?.count ?? (await countOf(database, query));
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

/** @returns undefined if many rows match */
async function pageOfFew<Name extends string>(
  database: Queryable,
  { table, isComputed = false, conditions, columns, sort, limit }: PageQuery<Name>,
  after: Position | undefined,
): Promise<{ readonly rows: readonly Row[]; readonly count: Count } | undefined> {
  const position = new Conditions([...conditions.parameters]);
  if (after !== undefined) position.add(isAfter('value', after, sort, position));
  const rows = await database.query<{ id: string | null; value: number | null; total: number }>(
    `with matching as materialized (
       select id, ${columns[sort.by]}::float8 as value from ${table} ${conditions.where}
       ${isComputed ? '' : `limit ${String(MAX_COUNTED + 1)}`}
     )
     select total, id, value from (select count(*)::float8 as total from matching) as counted left join (
       select id, value from matching ${position.where} ${inOrder('value', sort)} limit ${String(limit + 1)}
     ) as page on true ${inOrder('value', sort)}`,
    position.parameters,
  );
  const total = rows[0]?.total ?? 0;
  const isMany = total > MAX_COUNTED;
  if (isMany && !isComputed) return undefined;
  return {
    rows: rows.flatMap(({ id, value }) => (id === null || value === null ? [] : [{ id, value }])),
    count: isMany ? atLeast : { total },
  };
}

const atLeast: Count = { total: MAX_COUNTED, totalIsLowerBound: true };

async function pageOfMany<Name extends string>(
  database: Queryable,
  { table, conditions, columns, sort, limit }: PageQuery<Name>,
  after: Position | undefined,
): Promise<readonly Row[]> {
  const column = columns[sort.by];
  const narrowed = conditions.copy();
  if (after !== undefined) narrowed.add(isAfter(column, after, sort, narrowed));
  return database.query<Row>(
    `select id, ${column}::float8 as value from ${table} ${narrowed.where}
     ${inOrder(column, sort)} limit ${String(limit + 1)}`,
    narrowed.parameters,
  );
}

function isAfter(column: string, { value, id }: Position, { descending }: Sorting, to: Conditions): string {
  const position = `(${to.parameter(value)}::float8, ${to.parameter(id)}::text)`;
  return `(${column}, id) ${descending ? '<' : '>'} ${position}`;
}

function inOrder(column: string, { descending }: Sorting): string {
  const order = descending ? 'desc' : 'asc';
  return `order by ${column} ${order}, id ${order}`;
}

/** Of all rows, or of many that match. */
async function countOf<Name extends string>(
  database: Queryable,
  { countOfAll, conditions: { where } }: PageQuery<Name>,
): Promise<Count> {
  if (countOfAll === undefined || where !== '') return atLeast;
  const [row] = await database.query<{ total: number }>(`select (${countOfAll})::float8 as total`);
  return { total: row?.total ?? 0 };
}

function parseCursor(cursor: string, sort: string): Position {
  const [, value, id, total, isLowerBound] = decodeCursor('cursor', cursor, cursorSchema(sort), cursorAdvice);
  return { value, id, count: { total, ...(isLowerBound && { totalIsLowerBound: true }) } };
}
