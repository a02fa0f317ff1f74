import type { PartitionPosition, Place } from '@loopwatch/log';
import type { WorkerMetrics } from './metrics.ts';

/** A partition that has not moved for so long, though there is something to read, needs a person. */
export const STUCK_AFTER_MS = 60_000;

interface Watched {
  readonly place: Place;
  position: number | undefined;
  end: number | undefined;
  /** When it last moved, or had nothing to read. */
  movedAt: number;
  /** Why its work was interrupted last, since it moved. */
  reason: string | undefined;
}

/** A partition that does not move. */
export interface StuckPartition extends Place {
  readonly position: number | undefined;
  readonly seconds: number;
  readonly reason: string;
}

/** How far the partitions of this worker are, and which of them do not move. */
export class PartitionWatch {
  private readonly partitions = new Map<string, Watched>();
  private readonly metrics: Pick<WorkerMetrics, 'consumerLag' | 'partitionStuck'>;
  /** On a clock that never goes back, ms. */
  private readonly now: () => number;

  constructor(metrics: Pick<WorkerMetrics, 'consumerLag' | 'partitionStuck'>, now: () => number) {
    this.metrics = metrics;
    this.now = now;
  }

  /** The partitions that the worker owns now; those of others are not told of any more. */
  assign(places: readonly Place[]): void {
    const owned = new Set(places.map(nameOf));
    for (const [name, { place }] of this.partitions) {
      if (owned.has(name)) continue;
      this.partitions.delete(name);
      const labels = labelsOf(place);
      this.metrics.consumerLag.remove(labels);
      this.metrics.partitionStuck.remove(labels);
    }
    for (const place of places) this.own(place);
  }

  own(place: Place): void {
    const name = nameOf(place);
    if (this.partitions.has(name)) return;
    const unknown = { position: undefined, end: undefined, reason: undefined };
    this.partitions.set(name, { place, ...unknown, movedAt: this.now() });
  }

  /** What is known of a partition now; what is not known stays as it was. */
  note({ topic, partition, position, end }: PartitionPosition): void {
    const watched = this.partitions.get(nameOf({ topic, partition }));
    // The last steps of one that went become durable when it is no longer this worker's.
    if (watched === undefined) return;
    if (position !== undefined && position !== watched.position) {
      watched.position = position;
      watched.movedAt = this.now();
      watched.reason = undefined;
    }
    watched.end = end ?? watched.end;
    const lag = lagOf(watched);
    if (lag === 0) watched.movedAt = this.now();
    if (lag !== undefined) this.metrics.consumerLag.set(labelsOf(watched.place), lag);
    this.metrics.partitionStuck.set(labelsOf(watched.place), this.secondsOf(watched));
  }

  interrupted(place: Place, reason: string): void {
    const watched = this.partitions.get(nameOf(place));
    if (watched !== undefined) watched.reason = reason;
  }

  /** Those that have not moved for a minute. */
  get stuck(): StuckPartition[] {
    return [...this.partitions.values()]
      .filter(({ movedAt }) => this.now() - movedAt >= STUCK_AFTER_MS)
      .map((watched) => ({
        ...watched.place,
        position: watched.position,
        seconds: this.secondsOf(watched),
        reason: watched.reason ?? 'its records are not processed, though nothing failed',
      }));
  }

  private secondsOf({ movedAt }: Watched): number {
    return Math.round((this.now() - movedAt) / 1000);
  }
}

/** `undefined` as long as either side is unknown. */
function lagOf({ position, end }: Watched): number | undefined {
  return position === undefined || end === undefined ? undefined : Math.max(0, end - position);
}

/** One sentence for a health check. */
export function stuckDetail({ topic, partition, position, seconds, reason }: StuckPartition): string {
  const at = position === undefined ? '' : ` at offset ${String(position)}`;
  return `${topic}/${String(partition)} has stood still${at} for ${String(seconds)} s: ${reason}`;
}

function nameOf({ topic, partition }: Place): string {
  return `${topic}/${String(partition)}`;
}

function labelsOf({ topic, partition }: Place): { topic: string; partition: string } {
  return { topic, partition: String(partition) };
}
