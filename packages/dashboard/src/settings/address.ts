/** Settings in the URL, one `set=path:value` each: they fill in a draft and are not saved by themselves. */

export function writeSet(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values).map(
    ([path, value]) => `${path}:${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
}

/** The inverse of {@link writeSet}: texts by path, unchecked. */
export function readSet(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((text): [string, string] => {
      const [path = '', ...rest] = text.split(':');
      return [path, rest.join(':')];
    }),
  );
}
