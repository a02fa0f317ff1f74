import type { PartitionPosition, TopicPartition } from '@loopwatch/log';
import type { WorkerMetrics } from '../report/metrics.ts';

/** A partition with records to read whose offset has not moved for this long counts as stuck. */
const STUCK_AFTER_MS = 60_000;

interface PartitionState {
  readonly topicPartition: TopicPartition;
  position: number | undefined;
  end: number | undefined;
  /** Timestamp of the latest record processed, epoch ms. */
  readTo: number | undefined;
  /** When its offset last moved, or its lag was 0. */
  movedAt: number;
  /** Reason of the latest interruption since it moved. */
  reason: string | undefined;
}

/** A partition whose offset does not move. */
export interface StuckPartition extends TopicPartition {
  readonly position: number | undefined;
  readonly seconds: number;
  readonly reason: string;
}

/** Tracks lag and stuck partitions of this worker. */
export class PartitionWatch {
  readonly #partitions = new Map<string, PartitionState>();
  readonly #metrics: Pick<WorkerMetrics, 'consumerLag' | 'partitionStuck'>;
  /** Monotonic clock, ms. */
  readonly #now: () => number;

  constructor(metrics: Pick<WorkerMetrics, 'consumerLag' | 'partitionStuck'>, now: () => number) {
    this.#metrics = metrics;
    this.#now = now;
  }

  /** Sets the partitions that the worker owns; metrics of all others are removed. */
  assign(assigned: readonly TopicPartition[]): void {
    const owned = new Set(assigned.map(partitionName));
    for (const [name, { topicPartition }] of this.#partitions) {
      if (owned.has(name)) continue;
      this.#partitions.delete(name);
      const labels = labelsOf(topicPartition);
      this.#metrics.consumerLag.remove(labels);
      this.#metrics.partitionStuck.remove(labels);
    }
    for (const topicPartition of assigned) this.own(topicPartition);
  }

  own(topicPartition: TopicPartition): void {
    const name = partitionName(topicPartition);
    if (this.#partitions.has(name)) return;
    const unknown = { position: undefined, end: undefined, readTo: undefined, reason: undefined };
    this.#partitions.set(name, { topicPartition, ...unknown, movedAt: this.#now() });
  }

  /**
   * Updates position and end; an undefined one keeps its value.
   *
   * @param readTo timestamp of the latest record processed, epoch ms
   */
  note({ topic, partition, position, end, waitsFor }: PartitionPosition, readTo?: number): void {
    const watched = this.#partitions.get(partitionName({ topic, partition }));
    // The last steps of a revoked partition may be committed after it was removed.
    if (watched === undefined) return;
    if (position !== undefined && position !== watched.position) {
      watched.position = position;
      watched.movedAt = this.#now();
      watched.reason = undefined;
    }
    watched.reason = waitsFor ?? watched.reason;
    watched.end = end ?? watched.end;
    watched.readTo = readTo ?? watched.readTo;
    const lag = lagOf(watched);
    if (lag === 0) watched.movedAt = this.#now();
    if (lag !== undefined) this.#metrics.consumerLag.set(labelsOf(watched.topicPartition), lag);
    this.#metrics.partitionStuck.set(labelsOf(watched.topicPartition), this.#secondsOf(watched));
  }

  interrupted(topicPartition: TopicPartition, reason: string): void {
    const watched = this.#partitions.get(partitionName(topicPartition));
    if (watched !== undefined) watched.reason = reason;
  }

  /** While records are waiting: the timestamp up to which all are processed, epoch ms; null if none is waiting. */
  get readTo(): number | null {
    const behind = [...this.#partitions.values()].filter((watched) => (lagOf(watched) ?? 0) > 0);
    const times = behind.flatMap(({ readTo }) => readTo ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** Partitions that have not moved for {@link STUCK_AFTER_MS}. */
  get stuck(): StuckPartition[] {
    return [...this.#partitions.values()]
      .filter(({ movedAt }) => this.#now() - movedAt >= STUCK_AFTER_MS)
      .map((watched) => ({
        ...watched.topicPartition,
        position: watched.position,
        seconds: this.#secondsOf(watched),
        reason: watched.reason ?? 'no error was reported',
      }));
  }

  #secondsOf({ movedAt }: PartitionState): number {
    return Math.round((this.#now() - movedAt) / 1000);
  }
}

/** `undefined` while position or end is unknown. */
function lagOf({ position, end }: PartitionState): number | undefined {
  return position === undefined || end === undefined ? undefined : Math.max(0, end - position);
}

/** One sentence for a health check. */
export function stuckDetail({ topic, partition, position, seconds, reason }: StuckPartition): string {
  const at = position === undefined ? '' : ` at offset ${String(position)}`;
  return `${topic}/${String(partition)} has been stuck${at} for ${String(seconds)} s: ${reason}`;
}

export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}/${String(partition)}`;
}

function labelsOf({ topic, partition }: TopicPartition): { topic: string; partition: string } {
  return { topic, partition: String(partition) };
}
