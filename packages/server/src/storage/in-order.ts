/** Values in the order of the ids of a page; ids without one are left out. */
export function inOrder<T>(ids: readonly string[], values: Iterable<readonly [id: string, value: T]>): T[] {
  const byId = new Map(values);
  return ids.flatMap((id) => byId.get(id) ?? []);
}
