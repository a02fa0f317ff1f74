import type { EachBatchPayload } from 'kafkajs';
import { messageOf } from './errors.ts';
import type { Commit, KafkaCommits } from './kafka-commits.ts';
import { losesPartition } from './kafka-errors.ts';
import { toLogRecords } from './kafka-records.ts';
import type { LogFunction } from './log-function.ts';
import type { BatchHandler, RecordBatch } from './ports.ts';
import { backoff } from './timing.ts';

/** What the deliveries of one member share. */
export interface DeliveryContext {
  readonly handler: BatchHandler;
  readonly heartbeatMs: number;
  readonly log: LogFunction | undefined;
  /** Of the group's present generation: a new one with each join. */
  commits: KafkaCommits;
  /** The member is going away: what is still queued is left for the next owner. */
  leaving: boolean;
  /** Failures of the handler in a row, by `topic/partition`. */
  readonly failures: Map<string, number>;
}

/** Brings one fetched batch to the handler: heartbeats meanwhile, commits when asked, comes again when it failed. */
export class KafkaDelivery {
  readonly #context: DeliveryContext;
  readonly #payload: EachBatchPayload;
  /** A batch fetched before the last join may belong to another member by now. */
  readonly #commits: KafkaCommits;
  /** The group is being rebalanced: this batch may still be committed, then the member has to join again. */
  #rebalance: Error | undefined;

  constructor(context: DeliveryContext, payload: EachBatchPayload) {
    this.#context = context;
    this.#payload = payload;
    this.#commits = context.commits;
  }

  /** Resolves when the handler is done; rejects only when the member has to join its group again. */
  async deliver(): Promise<void> {
    const { leaving, failures, handler } = this.#context;
    const { batch } = this.#payload;
    if (leaving || !this.#payload.isRunning() || this.#payload.isStale() || batch.isEmpty()) return;
    const place = `${batch.topic}/${batch.partition}`;
    const stopBeating = this.#beat();
    let failure: unknown;
    let failed = false;
    try {
      await handler(this.#recordBatch());
    } catch (error) {
      failed = true;
      failure = error;
    } finally {
      stopBeating();
    }
    if (this.#commits !== this.#context.commits) return;
    const rejoin = this.#commits.lost ?? this.#rebalance;
    if (rejoin !== undefined) throw rejoin;
    if (failed) {
      this.#comeAgain(place, failure);
      return;
    }
    failures.delete(place);
    this.#payload.resolveOffset(batch.lastOffset());
  }

  #recordBatch(): RecordBatch {
    const { batch } = this.#payload;
    const { topic, partition } = batch;
    const last = Number(batch.lastOffset());
    return {
      topic,
      partition,
      records: toLogRecords(batch.messages),
      lag: Math.max(0, Number(batch.highWatermark) - 1 - last),
      // The markers a transaction leaves behind its records are part of the batch: nobody ever gets to see them.
      commit: () => this.#commits.commit({ topic, partition, offset: last + 1 }, this.#send),
    };
  }

  /**
   * Commits through the batch's own function: the consumer's `commitOffsets` silently does nothing once the consumer is
   * stopping, which is just when the last batch must still be committed.
   */
  readonly #send = async (commits: readonly Commit[]): Promise<void> => {
    const topics = [...new Set(commits.map(({ topic }) => topic))];
    await this.#payload.commitOffsetsIfNecessary({
      topics: topics.map((topic) => ({
        topic,
        partitions: commits
          .filter((commit) => commit.topic === topic)
          .map(({ partition, offset }) => ({ partition, offset: String(offset) })),
      })),
    });
  };

  /** Keeps the membership alive while the handler waits for something. */
  #beat(): () => void {
    const timer = setInterval(() => {
      this.#payload.heartbeat().catch((error: unknown) => {
        // Other failures concern the link, and show in the next fetch.
        if (losesPartition(error) && error instanceof Error) this.#rebalance = error;
      });
    }, this.#context.heartbeatMs / 2);
    return () => clearInterval(timer);
  }

  /** The position stays where it is, so that the next fetch brings the batch again, not before a pause. */
  #comeAgain(place: string, failure: unknown): void {
    const { failures, log } = this.#context;
    const { batch } = this.#payload;
    const count = failures.get(place) ?? 0;
    failures.set(place, count + 1);
    const pauseMs = backoff(count, 100, 5_000);
    log?.('error', 'the batch could not be handled and comes again', {
      topic: batch.topic,
      partition: batch.partition,
      firstOffset: batch.firstOffset(),
      failuresInARow: count + 1,
      pauseMs,
      error: messageOf(failure),
    });
    setTimeout(this.#payload.pause(), pauseMs).unref();
  }
}
