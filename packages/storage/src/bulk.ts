/** The columns to write, with their types; the first one is the key. */
export type Columns = Readonly<Record<string, string>>;
export type RowOf<C extends Columns> = { readonly [K in keyof C]: unknown };

/** Columns whose values come in a parameter of their own, made by {@link linesOf}: the name of each parameter. */
export type Lines = Readonly<Record<string, string>>;

export interface UpsertOptions {
  /** Whether each row gets the next number of the `changes` sequence. */
  readonly change?: boolean;
  /** Name of the parameter that holds the rows as a JSON array of objects. */
  readonly parameter?: string;
  /** See {@link recordset}. */
  readonly lines?: Lines;
  /** SQL expressions for columns of an existing row that do not simply become the new value. */
  readonly replacing?: Readonly<Record<string, string>>;
}

/** A statement that inserts many rows, or updates those that exist. */
export function upsert(
  table: string,
  columns: Columns,
  { change = false, parameter = '$1', lines = {}, replacing = {} }: UpsertOptions = {},
): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  const [key = '', ...others] = names;
  const changed = change ? [...others, 'change'] : others;
  const replaced = Object.fromEntries(Object.entries(replacing).map(([name, value]) => [`"${name}"`, value]));
  return `insert into ${table} (${names.join(', ')}${change ? ', change' : ''})
     select ${names.join(', ')}${change ? `, nextval('changes')` : ''} from ${recordset(columns, parameter, lines)}
     on conflict (${key}) do update set ${changed.map((name) => `${name} = ${replaced[name] ?? `excluded.${name}`}`).join(', ')}`;
}

/**
 * Converts a parameter, a JSON array of objects, to rows. Documents are cheaper as lines: they need not be read as JSON, nor
 * quoted in other JSON.
 */
export function recordset(columns: Columns, parameter = '$1', lines: Lines = {}): string {
  const json = Object.entries(columns).filter(([name]) => !(name in lines));
  const types = json.map(([name, type]) => `"${name}" ${type}`).join(', ');
  const rows = `jsonb_to_recordset(${parameter}::jsonb) as`;
  if (json.length === Object.keys(columns).length) return `${rows} r(${types})`;
  const names = [...json.map(([name]) => name), ...Object.keys(lines)].map((name) => `"${name}"`);
  const texts = Object.values(lines).map((line) => `unnest(string_to_array(${line}, chr(10), ''))`);
  return `rows from (${rows} (${types}), ${texts.join(', ')}) as r(${names.join(', ')})`;
}

/** JSON texts, which contain no line breaks, in the order of the rows. */
export function linesOf(texts: readonly (string | null)[]): string {
  return texts.map((text) => text ?? '').join('\n');
}
