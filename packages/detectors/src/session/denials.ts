import type { ProposedCall } from '../incident/call-key.ts';

/** Calls without a result that are kept, so that a denial finds its call. */
const MAX_CALLS = 64;
/** Loops and calls with denials that are kept; those denied longest ago are dropped. */
const MAX_DENIED = 1_000;

/** Counts the denied calls of a session since a person's latest prompt, by call and by incident. */
export class Denials {
  #counts = new Map<string, number>();
  readonly #calls = new Map<unknown, ProposedCall>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  noteCall(callId: unknown, call: ProposedCall): void {
    add(this.#calls, callId, call, MAX_CALLS);
  }

  /** The call that a result belongs to. */
  takeCall(callId: unknown): ProposedCall | undefined {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    return call;
  }

  /** @param keys of the denied call, and of the incidents it continues */
  count(keys: readonly string[]): void {
    for (const key of keys) add(this.#counts, key, (this.#counts.get(key) ?? 0) + 1, MAX_DENIED);
  }

  /** The largest count of these keys. */
  most(keys: readonly string[]): number {
    return keys.reduce((most, key) => Math.max(most, this.#counts.get(key) ?? 0), 0);
  }

  /** The call has run. */
  forget(key: string): void {
    this.#counts.delete(key);
  }

  clear(): void {
    this.#counts.clear();
  }

  /** @returns undefined without any */
  snapshot(): Readonly<Record<string, number>> | undefined {
    return this.isEmpty ? undefined : Object.fromEntries(this.#counts);
  }

  restore(counts: Readonly<Record<string, number>> = {}): void {
    this.#counts = new Map(Object.entries(counts));
  }
}

/** Sets an entry as the latest one, and drops the oldest beyond a number of entries. */
function add<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
