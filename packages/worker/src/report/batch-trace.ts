import { messageOf } from '@loopwatch/contract';
import type { Recovery, TaskBatch } from '@loopwatch/log';
import {
  errorType,
  type MessagingSystem,
  messagingAttributes,
  type Span,
  type SpanAttributes,
  type Tracing,
} from '@loopwatch/telemetry';

/** Records what a worker does, and where its batches come from. */
export interface BatchTracing {
  readonly tracing: Tracing;
  readonly system: MessagingSystem;
}

/**
 * The spans of one batch: `batch <topic>` from its fetch to its commit and, below it, `receive`, `process` and `commit`. The
 * commit runs while the next batch is processed, so batches overlap.
 */
export class BatchTrace {
  readonly #tracing: Tracing;
  readonly #system: MessagingSystem;
  readonly #batch: TaskBatch;
  readonly #whole: Span;
  readonly #processing: Span;

  /** Runs the processing of a batch, and ends its spans if that fails. */
  static async around(
    batch: TaskBatch,
    to: BatchTracing,
    process: (trace: BatchTrace) => Promise<void>,
  ): Promise<void> {
    const trace = new BatchTrace(batch, to);
    try {
      await process(trace);
    } catch (error) {
      trace.interrupted(error);
      throw error;
    }
  }

  private constructor(batch: TaskBatch, { tracing, system }: BatchTracing) {
    this.#tracing = tracing;
    this.#system = system;
    this.#batch = batch;
    const { topic, lag, isRetry = false, fetch } = batch;
    const processingAt = Date.now();
    this.#whole = tracing.start(`batch ${topic}`, {
      attributes: {
        ...messagingAttributes(batch, system, 'process'),
        'loopwatch.batch.lag': lag,
        ...(isRetry && { 'loopwatch.batch.retry': true }),
      },
      startedAt: fetch?.startedAt ?? processingAt,
      parent: null,
    });
    if (fetch !== undefined)
      this.#child('receive', 'client', fetch.startedAt, messagingAttributes(batch, system, 'receive')).end(
        fetch.endedAt,
      );
    const attributes = messagingAttributes(batch, system, 'process');
    this.#processing = this.#child('process', 'consumer', processingAt, attributes);
  }

  /** Runs the processing; the model calls that it starts belong to it. */
  process<T>(work: () => T): T {
    return this.#processing.run(work);
  }

  /** @param results how many records of each kind the batch led to, as attributes */
  processed(results: SpanAttributes): void {
    this.#whole.set(results);
    this.#processing.set(results);
    this.#processing.end();
  }

  /** Follows the commit, which may wait for earlier ones and be merged with later ones. */
  async commit(committing: Promise<boolean>): Promise<boolean> {
    const attributes = messagingAttributes(this.#batch, this.#system, 'settle');
    const span = this.#child('commit', 'client', Date.now(), attributes);
    const isCommitted = await committing;
    if (!isCommitted) for (const failed of [span, this.#whole]) failed.fail('not_committed');
    span.end();
    this.#whole.end();
    return isCommitted;
  }

  /** Ends a batch whose processing failed, or whose partition was revoked meanwhile. */
  interrupted(error?: unknown): void {
    for (const span of [this.#processing, this.#whole]) {
      if (error === undefined) span.fail('interrupted');
      else span.fail(errorType(error), messageOf(error));
      span.end();
    }
  }

  #child(name: string, kind: 'client' | 'consumer', startedAt: number, attributes: SpanAttributes): Span {
    const { topic } = this.#batch;
    return this.#tracing.start(`${name} ${topic}`, { kind, startedAt, attributes, parent: this.#whole });
  }
}

/** Records how a partition was taken over, once it is. */
export function traceRecovery(recovery: Recovery, to: BatchTracing | undefined): void {
  const { topic, partition, durationMs, restored, replayed } = recovery;
  const attributes = {
    'messaging.system': to?.system,
    'messaging.destination.name': topic,
    'messaging.destination.partition.id': String(partition),
    'loopwatch.recovery.snapshots': restored,
    'loopwatch.recovery.records': replayed,
  };
  to?.tracing
    .start(`recover ${topic}`, { attributes, startedAt: Date.now() - durationMs, parent: null })
    .end();
}
