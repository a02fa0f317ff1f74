import type { IncidentStats } from '@loopwatch/contract';
import type { Queryable } from '@loopwatch/storage';
import { currentStats } from './current-stats.ts';

/** Sums over everything take a while to make, and many ask for them: they are made at most once in `maxAgeMs`. */
export class SharedStats {
  private readonly database: Queryable;
  private readonly now: () => number;
  private readonly maxAgeMs: number;
  private made: { readonly at: number; readonly stats: Promise<IncidentStats> } | undefined;

  constructor(database: Queryable, now: () => number, maxAgeMs = 1_000) {
    this.database = database;
    this.now = now;
    this.maxAgeMs = maxAgeMs;
  }

  get(): Promise<IncidentStats> {
    const at = this.now();
    if (this.made !== undefined && at >= this.made.at && at - this.made.at < this.maxAgeMs)
      return this.made.stats;
    const stats = currentStats(this.database, at);
    this.made = { at, stats };
    stats.catch(() => {
      this.made = undefined;
    });
    return stats;
  }
}
