import { messageOf } from '@loopwatch/contract';
import type { Recovery, TaskBatch } from '@loopwatch/log';
import { errorType, failSpan, type MessagingSystem, messagingAttributes, tracer } from '@loopwatch/telemetry';
import {
  type Attributes,
  type Context,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  trace,
} from '@opentelemetry/api';

/**
 * The spans of one batch: `batch <topic>` from its fetch to its commit and, below it, `receive`, `process` and `commit`. The
 * commit runs while the next batch is processed, so batches overlap.
 */
export class BatchTrace {
  readonly #system: MessagingSystem;
  readonly #batch: TaskBatch;
  readonly #whole: Span;
  readonly #context: Context;
  readonly #processing: Span;
  #isProcessed = false;

  /** Runs the processing of a batch, and ends its spans if that fails. @param system where the records come from */
  static async around(
    batch: TaskBatch,
    system: MessagingSystem,
    process: (trace: BatchTrace) => Promise<void>,
  ): Promise<void> {
    const trace = new BatchTrace(batch, system);
    try {
      await process(trace);
      // The partition was revoked meanwhile.
      if (!trace.#isProcessed) trace.#interrupted();
    } catch (error) {
      trace.#interrupted(error);
      throw error;
    }
  }

  private constructor(batch: TaskBatch, system: MessagingSystem) {
    this.#system = system;
    this.#batch = batch;
    const { topic, lag, isRetry = false, fetch } = batch;
    const processingAt = Date.now();
    this.#whole = tracer().startSpan(`batch ${topic}`, {
      attributes: {
        ...messagingAttributes(batch, system, 'process'),
        'loopwatch.batch.lag': lag,
        ...(isRetry && { 'loopwatch.batch.retry': true }),
      },
      startTime: fetch?.startedAt ?? processingAt,
      root: true,
    });
    this.#context = trace.setSpan(ROOT_CONTEXT, this.#whole);
    if (fetch !== undefined) this.#child('receive', SpanKind.CLIENT, fetch.startedAt).end(fetch.endedAt);
    this.#processing = this.#child('process', SpanKind.CONSUMER, processingAt);
  }

  /** Runs the processing; the model calls that it starts belong to it. */
  process<T>(work: () => T): T {
    return context.with(trace.setSpan(this.#context, this.#processing), work);
  }

  /** @param results how many records of each kind the batch led to, as attributes */
  processed(results: Attributes): void {
    this.#isProcessed = true;
    this.#whole.setAttributes(results);
    this.#processing.setAttributes(results);
    this.#processing.end();
  }

  /** Follows the commit, which may wait for earlier ones and be merged with later ones. */
  async commit(committing: Promise<boolean>): Promise<boolean> {
    const span = this.#child('settle', SpanKind.CLIENT, Date.now());
    const isCommitted = await committing;
    if (!isCommitted) for (const failed of [span, this.#whole]) failSpan(failed, 'not_committed');
    span.end();
    this.#whole.end();
    return isCommitted;
  }

  #interrupted(error?: unknown): void {
    for (const span of [this.#processing, this.#whole]) {
      if (error === undefined) failSpan(span, 'interrupted');
      else failSpan(span, errorType(error), messageOf(error));
      span.end();
    }
  }

  #child(operation: 'receive' | 'process' | 'settle', kind: SpanKind, startTime: number): Span {
    const name = `${operation === 'settle' ? 'commit' : operation} ${this.#batch.topic}`;
    const attributes = messagingAttributes(this.#batch, this.#system, operation);
    return tracer().startSpan(name, { kind, startTime, attributes }, this.#context);
  }
}

/** Records how a partition was taken over, once it is. */
export function traceRecovery(recovery: Recovery, system: MessagingSystem): void {
  const { topic, partition, durationMs, restored, replayed } = recovery;
  const attributes = {
    'messaging.system': system,
    'messaging.destination.name': topic,
    'messaging.destination.partition.id': String(partition),
    'loopwatch.recovery.snapshots': restored,
    'loopwatch.recovery.records': replayed,
  };
  const startTime = Date.now() - durationMs;
  tracer().startSpan(`recover ${topic}`, { attributes, startTime, root: true }).end();
}
