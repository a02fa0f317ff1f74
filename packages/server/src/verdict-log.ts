import type { Verdict } from '@loopwatch/contract';

export interface LoggedVerdict {
  /** Grows with each verdict; paging holds on to it. */
  readonly sequence: number;
  readonly verdict: Verdict;
}

/** The latest verdicts as they came, each once; older ones are in the log itself. */
export class VerdictLog {
  private readonly limit: number;
  private readonly byId = new Map<string, LoggedVerdict>();
  private sequence = 0;

  /** @param limit verdicts to keep, default 2,000: with evidence of up to 32 KiB each */
  constructor({ limit = 2_000 }: { limit?: number } = {}) {
    this.limit = limit;
  }

  add(verdict: Verdict): void {
    if (this.byId.has(verdict.id)) return;
    this.sequence += 1;
    this.byId.set(verdict.id, { sequence: this.sequence, verdict });
    if (this.byId.size <= this.limit) return;
    for (const oldest of this.byId.keys()) {
      this.byId.delete(oldest);
      break;
    }
  }

  /** Newest first. */
  newestFirst(): LoggedVerdict[] {
    return [...this.byId.values()].reverse();
  }
}
