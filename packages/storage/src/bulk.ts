/** The columns to write, with their types; the first one is the key. */
export type Columns = Readonly<Record<string, string>>;
export type RowOf<C extends Columns> = { readonly [K in keyof C]: unknown };

export interface UpsertOptions {
  /** Whether each row gets the next number of the `changes` sequence. */
  readonly change?: boolean;
  /** Name of the parameter that holds the rows as a JSON array of objects. */
  readonly parameter?: string;
  /** SQL expressions for columns of an existing row that do not simply become the new value. */
  readonly replacing?: Readonly<Record<string, string>>;
}

/** A statement that inserts many rows, or updates those that exist. */
export function upsert(
  table: string,
  columns: Columns,
  { change = false, parameter = '$1', replacing = {} }: UpsertOptions = {},
): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const [key = '', ...others] = names;
  const changed = change ? [...others, 'change'] : others;
  const replaced = Object.fromEntries(Object.entries(replacing).map(([name, value]) => [`"${name}"`, value]));
  return `insert into ${table} (${names.join(', ')}${change ? ', change' : ''})
     select ${names.join(', ')}${change ? `, nextval('changes')` : ''} from ${recordset(columns, parameter)}
     on conflict (${key}) do update set ${changed.map((name) => `${name} = ${replaced[name] ?? `excluded.${name}`}`).join(', ')}`;
}

/** Converts a parameter, a JSON array of objects, to rows. */
export function recordset(columns: Columns, parameter = '$1'): string {
  const types = Object.entries(columns).map(([name, type]) => `"${name}" ${type}`);
  return `jsonb_to_recordset(${parameter}::jsonb) as r(${types.join(', ')})`;
}
