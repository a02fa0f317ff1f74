/** What was noted last, by key, within a bound: beyond it, what was noted longest ago is forgotten. */
export class Latest<Value> implements Iterable<[string, Value]> {
  private readonly noted = new Map<string, Value>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get(key: string): Value | undefined {
    return this.noted.get(key);
  }

  note(key: string, value: Value): void {
    this.noted.delete(key);
    this.noted.set(key, value);
    const [oldest] = this.noted.keys();
    if (this.noted.size > this.limit && oldest !== undefined) this.noted.delete(oldest);
  }

  /** From what was noted longest ago. */
  [Symbol.iterator](): Iterator<[string, Value]> {
    return this.noted.entries();
  }
}
