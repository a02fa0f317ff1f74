/** Keeps what was made for each key. Once there are more than `max`, all of them are made again. */
export function memo<Value>(max: number): (key: string, make: () => Value) => Value {
  const known = new Map<string, Value>();
  return (key, make) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make();
    if (known.size === max) known.clear();
    known.set(key, made);
    return made;
  };
}
