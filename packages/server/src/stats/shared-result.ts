import { LRUCache } from 'lru-cache';
export interface SharedResultOptions<Query, Result> {
  readonly read: (query: Query, now: number) => Promise<Result>;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  /** A result is at least this old before it is read again. */
  readonly minAgeMs: number;
  /** The share of time that may be spent reading; slow results are kept longer. */
  readonly maxShare: number;
  /** A result that is older is read again, however slow that is. */
  readonly maxAgeMs: number;
}

/** Number of queries, the latest ones, whose results are kept. */
const MAX_RESULTS = 20;

interface Entry<Result> {
  /** Wall clock at the start of reading, epoch ms. */
  readonly readAt: number;
  readonly result: Promise<Result>;
  durationMs: number;
}

/** Caches results of expensive queries briefly, so that many clients cost no more than one. */
export class SharedResult<Query, Result> {
  readonly #options: SharedResultOptions<Query, Result>;
  /** By query. */
  readonly #entries = new LRUCache<string, Entry<Result>>({ max: MAX_RESULTS });
  #latest = 0;

  constructor(options: SharedResultOptions<Query, Result>) {
    this.#options = options;
  }

  get(query: Query): Promise<Result> {
    const { read, now, minAgeMs, maxShare, maxAgeMs } = this.#options;
    const readAt = now();
    const key = JSON.stringify(query);
    const known = this.#entries.get(key);
    const age = known === undefined ? -1 : readAt - known.readAt;
    const lasts = Math.min(maxAgeMs, Math.max(minAgeMs, (known?.durationMs ?? 0) / maxShare));
    if (known !== undefined && age >= 0 && age < lasts) return known.result;
    const start = performance.now();
    const entry: Entry<Result> = { readAt, result: read(query, readAt), durationMs: known?.durationMs ?? 0 };
    this.#entries.set(key, entry);
    this.#latest = readAt;
    entry.result.then(
      () => {
        entry.durationMs = performance.now() - start;
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return entry.result;
  }

  /** When the latest result was read, wall clock at the start, epoch ms; 0 before the first. */
  get readAt(): number {
    return this.#latest;
  }
}
