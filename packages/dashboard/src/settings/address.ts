/** Settings that an address fills in, `set=path:value` each; they are a draft until the reader saves them. */

export function writeSet(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).map(
    ([path, value]) => `${path}:${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}

/** The inverse of {@link writeSet}: texts by path, which may be no settings, or not fit them. */
export function readSet(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((text): [string, string] => {
      const [path = '', ...rest] = text.split(':');
      return [path, rest.join(':')];
    }),
  );
}
