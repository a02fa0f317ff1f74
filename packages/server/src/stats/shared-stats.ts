import type { IncidentStats } from '@loopwatch/contract';
import type { Queryable } from '@loopwatch/storage';
import { currentStats } from './current-stats.ts';

/** Of the time, at most this share is spent on making them. */
const share = 0.05;

/** Sums over everything take a while to make, and many ask for them: they are made at most once in `minAgeMs`. */
export class SharedStats {
  private readonly database: Queryable;
  private readonly now: () => number;
  private readonly minAgeMs: number;
  private made: { readonly at: number; readonly stats: Promise<IncidentStats> } | undefined;
  /** How long the latest took, ms. */
  private tookMs = 0;

  constructor(database: Queryable, now: () => number, minAgeMs = 1_000) {
    this.database = database;
    this.now = now;
    this.minAgeMs = minAgeMs;
  }

  /** Wall clock of the beginning of the latest, epoch ms. */
  get madeAt(): number {
    return this.made?.at ?? 0;
  }

  get(): Promise<IncidentStats> {
    const at = this.now();
    const maxAgeMs = Math.max(this.minAgeMs, this.tookMs / share);
    if (this.made !== undefined && at >= this.made.at && at - this.made.at < maxAgeMs) return this.made.stats;
    const start = performance.now();
    const stats = currentStats(this.database, at).finally(() => {
      this.tookMs = performance.now() - start;
    });
    this.made = { at, stats };
    stats.catch(() => {
      this.made = undefined;
    });
    return stats;
  }
}
