import type { Overview, OverviewQuery } from '@loopwatch/contract/api';

type Read = (query: OverviewQuery, now: number) => Promise<Omit<Overview, 'lag'>>;

interface Made {
  readonly at: number;
  readonly overview: Promise<Omit<Overview, 'lag'>>;
  tookMs: number;
}

/** Of the time, at most this share is spent on making one. */
const share = 0.1;
const minAgeMs = 500;
/** Ranges that are remembered, the latest asked for. */
const MAX_RANGES = 20;

/** Overviews by range, so that many pages that are open cost what one does. */
export class SharedOverview {
  readonly #read: Read;
  readonly #now: () => number;
  readonly #made = new Map<string, Made>();

  constructor(read: Read, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  get(query: OverviewQuery): Promise<Omit<Overview, 'lag'>> {
    const at = this.#now();
    const key = JSON.stringify([query.from, query.to, query.lastMs]);
    const known = this.#made.get(key);
    if (known !== undefined && at >= known.at && at - known.at < Math.max(minAgeMs, known.tookMs / share))
      return known.overview;
    const start = performance.now();
    const made: Made = { at, overview: this.#read(query, at), tookMs: 0 };
    this.#made.delete(key);
    this.#made.set(key, made);
    for (const oldest of this.#made.keys()) {
      if (this.#made.size <= MAX_RANGES) break;
      this.#made.delete(oldest);
    }
    made.overview.then(
      () => {
        made.tookMs = performance.now() - start;
      },
      () => {
        if (this.#made.get(key) === made) this.#made.delete(key);
      },
    );
    return made.overview;
  }
}
