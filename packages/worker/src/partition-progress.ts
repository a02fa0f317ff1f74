import type { Verdict } from '@loopwatch/contract';
import type { OutputRecord, RecordBatch } from '@loopwatch/log';

/** Something to be written, with the verdict it holds, if it holds one. */
export interface Delivery {
  readonly output: OutputRecord;
  readonly verdict: Verdict | null;
  /** Of the record that led to it, epoch ms. */
  readonly timestamp: number;
}

/** How far one partition has been analyzed, and what of it is still to be delivered. */
export interface Progress {
  /** Offset of the last record that the sessions have seen; -1 before the first. */
  analyzedTo: number;
  /** What a failed delivery left behind. */
  readonly undelivered: Delivery[];
}

/**
 * A batch may come again: when its outputs could not be delivered, or after the group was joined anew. Its records have
 * changed the sessions already, so they must not be analyzed twice.
 */
export class PartitionProgress {
  private readonly partitions = new Map<string, Progress>();

  /**
   * What of the batch is new, and whether the sessions in memory fit it: they do not when records are missing between
   * them and the batch, because another worker had the partition meanwhile.
   */
  begin(batch: RecordBatch): { progress: Progress; fresh: RecordBatch['records']; stale: boolean } {
    const name = key(batch);
    const known = this.partitions.get(name);
    const first = batch.records[0]?.offset ?? 0;
    const stale = known !== undefined && first > known.analyzedTo + 1;
    const progress = known === undefined || stale ? { analyzedTo: -1, undelivered: [] } : known;
    this.partitions.set(name, progress);
    const seen = batch.records.findLastIndex(({ offset }) => offset <= progress.analyzedTo);
    return { progress, fresh: seen === -1 ? batch.records : batch.records.slice(seen + 1), stale };
  }

  /** What is known of a partition, as long as it is this worker's. */
  of(place: Place): Progress | undefined {
    return this.partitions.get(key(place));
  }

  /** Forgets the partitions that are not among those owned. @returns them */
  keepOnly(owned: readonly Place[]): Place[] {
    const keep = new Set(owned.map(key));
    const lost = [...this.partitions.keys()].filter((name) => !keep.has(name));
    for (const name of lost) this.partitions.delete(name);
    return lost.map((name) => {
      const slash = name.lastIndexOf('/');
      return { topic: name.slice(0, slash), partition: Number(name.slice(slash + 1)) };
    });
  }
}

interface Place {
  readonly topic: string;
  readonly partition: number;
}

function key({ topic, partition }: Place): string {
  return `${topic}/${String(partition)}`;
}
