/** Search params of a page; a name that occurs several times, or without a value, has a list of values. */
export type Search = Readonly<Record<string, string | readonly string[] | undefined>>;

export function parseSearch(text: string): Record<string, string | string[]> {
  const search: Record<string, string | string[]> = {};
  const query = new URLSearchParams(text);
  for (const name of new Set(query.keys())) {
    const values = query.getAll(name);
    const [only = ''] = values;
    search[name] = values.length > 1 || only === '' ? values : only;
  }
  return search;
}

/** The inverse of {@link parseSearch}: '' or a query string with its question mark. In a list, an empty value is one. */
export function writeSearch(search: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    const given: readonly unknown[] = Array.isArray(value) ? value : value === '' ? [] : [value];
    for (const one of given) if (typeof one === 'string') query.append(name, one);
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** All values of a param. */
export function valuesOf(search: Search, name: string): readonly string[] {
  const value = search[name];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** The value of a param that occurs once. */
export function valueOf(search: Search, name: string): string | undefined {
  return valuesOf(search, name)[0];
}
