/** A map with a bounded size: beyond it, the entry set longest ago is dropped. */
export class LruMap<Value> implements Iterable<[string, Value]> {
  readonly #entries = new Map<string, Value>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): Value | undefined {
    return this.#entries.get(key);
  }

  set(key: string, value: Value): void {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#limit && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** Oldest entry first. */
  [Symbol.iterator](): Iterator<[string, Value]> {
    return this.#entries.entries();
  }
}
