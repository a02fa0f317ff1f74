import { remember } from './remember.ts';

/** Traces of which the last answer is the same, such as those of two runs of a test. */
const MAX_ALIKE = 16;

/**
 * Which trace continues the conversation of which: some producers begin a trace with each request, without a session. The messages of
 * a request begin with those of the request before and its answer.
 */
export class ContinuedTraces {
  readonly #max: number;
  /** The first trace of a conversation, by each of its traces. */
  readonly #first = new Map<string, string>();
  /** Traces by the messages that an answer ends. */
  readonly #ends = new Map<string, readonly string[]>();

  constructor(max: number) {
    this.#max = max;
  }

  /** The first trace of the conversation; undefined if this one has no request yet. */
  firstOf(traceId: string): string | undefined {
    return this.#first.get(traceId);
  }

  /**
   * Notes a request of a trace, whose first one says what it continues.
   *
   * @param history what identifies the messages up to the last answer in it
   * @param ends what identifies its messages with its answer
   */
  add(traceId: string, history: readonly string[], ends: readonly string[]): void {
    const before = this.#first.has(traceId) ? undefined : this.#before(history);
    const first = this.#first.get(traceId) ?? (before && this.#first.get(before)) ?? before ?? traceId;
    remember(this.#first, traceId, first, this.#max);
    for (const key of ends) {
      const alike = (this.#ends.get(key) ?? []).filter((other) => other !== traceId);
      remember(this.#ends, key, [...alike, traceId].slice(-MAX_ALIKE), 2 * this.#max);
    }
  }

  /** The trace with the latest answer that ends these messages; each continues once, unless it is the only one. */
  #before(history: readonly string[]): string | undefined {
    const key = history.find((one) => this.#ends.has(one));
    if (key === undefined) return undefined;
    const alike = this.#ends.get(key) ?? [];
    if (alike.length > 1) this.#ends.set(key, alike.slice(0, -1));
    return alike.at(-1);
  }
}
