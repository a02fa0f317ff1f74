/** A table's columns that are written, with their types; the first one is the key. */
export type Columns = Readonly<Record<string, string>>;
export type RowOf<C extends Columns> = { readonly [K in keyof C]: unknown };

/**
 * A statement that writes many rows: those that are there are replaced. With `change`, each gets the next number.
 *
 * @param parameter that holds the rows as a JSON array of objects
 */
export function upsert(
  table: string,
  columns: Columns,
  { change = false, parameter = '$1' }: { change?: boolean; parameter?: string } = {},
): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const [key = '', ...others] = names;
  const changed = change ? [...others, 'change'] : others;
  return `insert into ${table} (${names.join(', ')}${change ? ', change' : ''})
     select ${names.join(', ')}${change ? `, nextval('changes')` : ''} from ${recordset(columns, parameter)}
     on conflict (${key}) do update set ${changed.map((name) => `${name} = excluded.${name}`).join(', ')}`;
}

/** A parameter, a JSON array of objects, as rows. */
export function recordset(columns: Columns, parameter = '$1'): string {
  const types = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  return `jsonb_to_recordset(${parameter}::jsonb) as r(${types.join(', ')})`;
}
