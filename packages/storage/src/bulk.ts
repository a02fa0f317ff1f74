import type { Queryable } from './database.ts';
import { jsonText } from './json-text.ts';

/** A table's columns that are written, with their types; the first one is the key. */
export type Columns = Readonly<Record<string, string>>;
export type RowOf<C extends Columns> = { readonly [K in keyof C]: unknown };

/** Writes many rows in one statement: those that are there are replaced. With `change`, each gets the next number. */
export async function upsert<C extends Columns>(
  tx: Queryable,
  table: string,
  columns: C,
  rows: readonly RowOf<C>[],
  { change = false }: { change?: boolean } = {},
): Promise<void> {
  if (rows.length === 0) return;
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const [key = '', ...others] = names;
  const changed = change ? [...others, 'change'] : others;
  await tx.query(
    `insert into ${table} (${names.join(', ')}${change ? ', change' : ''})
     select ${names.join(', ')}${change ? `, nextval('changes')` : ''} from ${recordset(columns)}
     on conflict (${key}) do update set ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    [jsonText(rows)],
  );
}

/** `$1`, a JSON array of objects, as rows. */
export function recordset(columns: Columns): string {
  const types = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  return `jsonb_to_recordset($1::jsonb) as r(${types.join(', ')})`;
}
