import type { Page } from '@loopwatch/contract/api';
import type { Queryable } from '@loopwatch/storage';
import { z } from 'zod';
import { HttpProblem } from '../http/problem.ts';
import type { Conditions } from './conditions.ts';

export interface Paging {
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface Sorting<Name extends string = string> {
  readonly by: Name;
  readonly descending: boolean;
}

export interface PageQuery<Name extends string> extends Paging {
  readonly table: string;
  readonly conditions: Conditions;
  /** What each sort's name stands for: a number that is never null. */
  readonly columns: Readonly<Record<Name, string>>;
  readonly sort: Sorting<Name>;
}

export interface IdPage extends Page<string> {
  readonly items: string[];
}

/** What a cursor remembers: the list's sort, the last item's value and id, and the total as it was first counted. */
const cursorSchema = z.tuple([z.string(), z.number(), z.string(), z.int().nonnegative()]);

/** The ids of one page. The id makes the order total, so that paging neither skips nor repeats what does not change. */
export async function pageOfIds<Name extends string>(
  database: Queryable,
  { table, conditions, columns, sort, limit, cursor }: PageQuery<Name>,
): Promise<IdPage> {
  const name = `${sort.descending ? '-' : ''}${sort.by}`;
  const after = cursor === undefined ? undefined : decodeCursor(cursor, name);
  const column = columns[sort.by];
  const narrowed = conditions.copy();
  if (after !== undefined) {
    const place = `(${narrowed.parameter(after.value)}::float8, ${narrowed.parameter(after.id)}::text)`;
    narrowed.add(`(${column}, id) ${sort.descending ? '<' : '>'} ${place}`);
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
  const more = rows.length > limit && last !== undefined;
  return {
    items: page.map(({ id }) => id),
    nextCursor: more ? encode([name, last.value, last.id, total]) : null,
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

function encode(cursor: z.infer<typeof cursorSchema>): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

function decodeCursor(cursor: string, sort: string): { value: number; id: string; total: number } {
  const detail = 'pass the nextCursor of an earlier answer of the same list, with the same sort';
  const refuse = (): HttpProblem =>
    new HttpProblem(400, `cursor: ${detail}`, { errors: [{ parameter: 'cursor', detail }] });
  let json: unknown;
  try {
    json = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  const parsed = cursorSchema.safeParse(json);
  if (!parsed.success || parsed.data[0] !== sort) throw refuse();
  const [, value, id, total] = parsed.data;
  return { value, id, total };
}
