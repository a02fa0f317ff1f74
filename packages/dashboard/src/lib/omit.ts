/** A copy without one of its keys. */
export function omit<Fields extends object, Key extends keyof Fields>(
  fields: Fields,
  key: Key,
): Omit<Fields, Key> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== key)) as Omit<Fields, Key>;
}
