import type { EachBatchPayload } from 'kafkajs';
import { LogError, messageOf } from './errors.ts';
import { isTransient, losesPartition, toLogError } from './kafka-errors.ts';
import { toLogRecords } from './kafka-records.ts';
import type { LogFunction } from './log-function.ts';
import type { BatchHandler, RecordBatch } from './ports.ts';
import { backoff, delay } from './timing.ts';

/** What the deliveries of one member share. */
export interface DeliveryContext {
  readonly brokers: readonly string[];
  readonly handler: BatchHandler;
  readonly heartbeatMs: number;
  readonly log: LogFunction | undefined;
  /** Counts the joins: a batch fetched before the last one may belong to another member by now. */
  generation: number;
  /** The member is going away: what is still queued is left for the next owner. */
  leaving: boolean;
  /** Failures of the handler in a row, by `topic/partition`. */
  readonly failures: Map<string, number>;
}

const commitTries = 5;

/** Brings one fetched batch to the handler: heartbeats meanwhile, commits when asked, comes again when it failed. */
export class KafkaDelivery {
  readonly #context: DeliveryContext;
  readonly #payload: EachBatchPayload;
  readonly #generation: number;
  /** Why the group took the partition away while the handler worked. */
  #lost: Error | undefined;

  constructor(context: DeliveryContext, payload: EachBatchPayload) {
    this.#context = context;
    this.#payload = payload;
    this.#generation = context.generation;
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
    if (this.#lost !== undefined) throw this.#lost;
    if (this.#outdated()) return;
    if (failed) {
      this.#comeAgain(place, failure);
      return;
    }
    failures.delete(place);
    this.#payload.resolveOffset(batch.lastOffset());
  }

  #recordBatch(): RecordBatch {
    const { batch } = this.#payload;
    const last = Number(batch.lastOffset());
    return {
      topic: batch.topic,
      partition: batch.partition,
      records: toLogRecords(batch.messages),
      lag: Math.max(0, Number(batch.highWatermark) - 1 - last),
      // The markers a transaction leaves behind its records are part of the batch: nobody ever gets to see them.
      commit: () => this.#commit(last + 1),
    };
  }

  /**
   * Commits through the batch's own function: the consumer's `commitOffsets` silently does nothing once the consumer
   * is stopping, which is just when the last batch must still be committed.
   */
  async #commit(offset: number): Promise<void> {
    const { topic, partition } = this.#payload.batch;
    const partitions = [{ partition, offset: String(offset) }];
    const context = {
      brokers: this.#context.brokers,
      doing: `commit offset ${offset} of ${topic}/${partition}`,
    };
    for (let attempt = 0; ; attempt += 1) {
      if (this.#outdated()) {
        throw new LogError(
          'partition_lost',
          `Cannot ${context.doing}: the group was rebalanced meanwhile. The partition's owner gets these records again.`,
        );
      }
      try {
        await this.#payload.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] });
        return;
      } catch (error) {
        if (losesPartition(error) && error instanceof Error) this.#lost = error;
        const hopeless = this.#lost !== undefined || !isTransient(error) || attempt + 1 >= commitTries;
        if (hopeless) throw toLogError(error, { ...context, topics: [topic] });
        await delay(backoff(attempt, 100, 1_000));
      }
    }
  }

  /** Keeps the membership alive while the handler waits for something. */
  #beat(): () => void {
    const timer = setInterval(() => {
      this.#payload.heartbeat().catch((error: unknown) => {
        // Other failures concern the link, and show in the next fetch.
        if (losesPartition(error) && error instanceof Error) this.#lost = error;
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

  #outdated(): boolean {
    return this.#generation !== this.#context.generation;
  }
}
