import type { Incident, IncidentRow, IncidentStats, Verdict } from '@loopwatch/contract';
import { addVerdict, compareText, type IncidentFold, toIncident, toRow } from './incident.ts';
import { type Dropped, nothingDropped, summarize, withDropped } from './incident-stats.ts';

/** What a verdict did to the store. A duplicate and a verdict of an incident that was dropped change nothing. */
export type Applied = 'opened' | 'changed' | 'duplicate' | 'forgotten';

interface Entry {
  readonly fold: IncidentFold;
  readonly row: IncidentRow;
}

/**
 * The incidents that the verdict log tells of, newest first. It holds no more than `limit` of them: resolved ones go
 * first, the oldest of them before the others. Pure: no clock, no I/O.
 */
export class IncidentStore {
  private readonly limit: number;
  private readonly entries = new Map<string, Entry>();
  /** Ids of dropped incidents, so that a late verdict does not bring back half of one; bounded as well. */
  private readonly forgotten = new Set<string>();
  private dropped: Dropped = nothingDropped;
  private sorted: readonly IncidentRow[] | undefined;

  /** @param limit incidents to keep, default 2,000 */
  constructor({ limit = 2_000 }: { limit?: number } = {}) {
    this.limit = limit;
  }

  /** @param arrivedAt the record's timestamp: stands in for `detectedAt` where a verdict has none */
  apply(verdict: Verdict, arrivedAt: number): Applied {
    const id = verdict.incidentId;
    if (this.forgotten.has(id)) return 'forgotten';
    const before = this.entries.get(id);
    const fold = addVerdict(before?.fold, verdict, arrivedAt);
    if (fold === undefined) return 'duplicate';
    this.entries.set(id, { fold, row: toRow(fold) });
    this.sorted = undefined;
    if (this.entries.size > this.limit) this.dropOne();
    return before === undefined ? 'opened' : 'changed';
  }

  get(id: string): Incident | undefined {
    const entry = this.entries.get(id);
    return entry && toIncident(entry.fold);
  }

  row(id: string): IncidentRow | undefined {
    return this.entries.get(id)?.row;
  }

  /** Newest first. */
  rows(): readonly IncidentRow[] {
    this.sorted ??= [...this.entries.values()].map(({ row }) => row).sort(newestFirst);
    return this.sorted;
  }

  /** @param now wall clock in epoch ms: where the last hour ends */
  stats(now: number): IncidentStats {
    return summarize(this.rows(), this.dropped, now);
  }

  private dropOne(): void {
    let victim: IncidentRow | undefined;
    for (const { row } of this.entries.values()) {
      if (victim === undefined || dropFirst(row, victim) < 0) victim = row;
    }
    if (victim === undefined) return;
    this.entries.delete(victim.id);
    this.dropped = withDropped(this.dropped, victim);
    this.forgotten.add(victim.id);
    if (this.forgotten.size > this.limit * 4) {
      for (const oldest of this.forgotten) {
        this.forgotten.delete(oldest);
        break;
      }
    }
  }
}

/** Newest detection first; the id makes the order total, which paging relies on. */
export function newestFirst(a: Position, b: Position): number {
  return b.detectedAt - a.detectedAt || compareText(a.id, b.id);
}

/** What places an incident in a list. */
export type Position = Pick<IncidentRow, 'detectedAt' | 'id'>;

function dropFirst(a: IncidentRow, b: IncidentRow): number {
  const open = (row: IncidentRow) => (row.state === 'open' ? 1 : 0);
  return open(a) - open(b) || newestFirst(b, a);
}
