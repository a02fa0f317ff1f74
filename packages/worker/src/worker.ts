import type { DetectionSettings, TopicNames, Verdict } from '@loopwatch/contract';
import {
  type EventSource,
  LogError,
  type LogRecord,
  type RecordBatch,
  type VerdictSink,
} from '@loopwatch/log';
import { LoopPipeline, type Outcome } from '@loopwatch/pipeline';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { deadLetter } from './dead-letter.ts';
import { EventTally } from './event-tally.ts';
import { IncidentBook } from './incident-book.ts';
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
import { oneLine } from './one-line.ts';
import { type Delivery, PartitionProgress } from './partition-progress.ts';
import { logTurnRequest } from './turn-request-log.ts';
import { logVerdict } from './verdict-log.ts';

export interface WorkerDeps {
  readonly source: EventSource;
  readonly sink: VerdictSink;
  readonly topics: TopicNames;
  readonly detection: DetectionSettings;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Wall clock, epoch ms; the system's by default. */
  readonly now?: () => number;
}

/** What a health check may ask. */
export interface WorkerStatus {
  readonly connected: boolean;
  readonly detail: string;
}

/**
 * From records to verdicts: takes batches from the source, runs them through the pipeline, delivers verdicts and dead
 * letters to the sink, and only then commits. A failed delivery makes the batch come again; nothing is analyzed twice.
 */
export class Worker {
  private readonly deps: WorkerDeps;
  private readonly now: () => number;
  private readonly pipeline: LoopPipeline;
  private readonly metrics: WorkerMetrics;
  private readonly incidents: IncidentBook;
  private readonly progress = new PartitionProgress();
  private readonly tally = new EventTally();
  private connection: WorkerStatus = { connected: false, detail: 'starting' };
  /** Wall clock of the latest record processed, epoch ms. */
  lastEventAt: number | null = null;

  constructor(deps: WorkerDeps) {
    this.deps = deps;
    this.now = deps.now ?? Date.now;
    this.metrics = createWorkerMetrics(deps.registry, () => this.pipeline.activeSessions);
    this.incidents = new IncidentBook(this.metrics);
    const { metrics, incidents } = this;
    this.pipeline = new LoopPipeline(deps.detection, {
      event: (type) => {
        this.tally.add(type);
      },
      duplicate: () => {
        metrics.duplicates.inc();
      },
      refusedSetting: (sessionId, message) => {
        metrics.refusedSettings.inc();
        deps.logger.warn({ sessionId }, oneLine(`Setting refused in session ${sessionId}: ${message}`));
      },
      turnRequest: (sessionId, request) => {
        logTurnRequest(deps.logger, sessionId, request);
      },
      evicted: (reason) => {
        metrics.evictedSessions.inc({ reason });
      },
      abandoned: (incidentIds) => {
        for (const id of incidentIds) incidents.forget(id);
      },
      fault: (sessionId, offset, error) => {
        metrics.faults.inc();
        deps.logger.error(
          { err: error, sessionId, offset },
          'Detection failed at an event; its session starts afresh. This is a bug: please report it.',
        );
      },
    });
  }

  get status(): WorkerStatus {
    return this.connection;
  }

  /** @throws LogError when the log cannot be reached or a topic is missing; everything is closed again then */
  async start(): Promise<void> {
    try {
      await this.deps.sink.open();
      await this.consume();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.connection = { connected: true, detail: 'connected' };
  }

  private async consume(): Promise<void> {
    const { source, logger } = this.deps;
    await source.run((batch) => this.process(batch), {
      onAssignment: (partitions) => {
        this.metrics.rebalances.inc();
        logger.info({ partitions: partitions.length }, 'Partitions assigned');
        // None at all means the link is down, and they may well come back.
        if (partitions.length === 0) return;
        for (const { topic, partition } of this.progress.keepOnly(partitions)) {
          this.pipeline.drop(topic, partition);
          this.metrics.consumerLag.remove({ topic, partition: String(partition) });
        }
      },
      onConnection: (state, reason) => {
        this.connection = {
          connected: state === 'up',
          detail: reason ?? (state === 'up' ? 'connected' : 'disconnected'),
        };
        if (state === 'up') logger.info('Connected to the event log');
        else logger.warn({ reason }, 'Lost the event log; trying again until it is back');
      },
    });
  }

  /** Stops fetching, lets the batch in progress be delivered and committed, then closes. */
  async stop(): Promise<void> {
    await this.deps.source.stop();
    await this.deps.sink.close();
    this.connection = { connected: false, detail: 'stopped' };
  }

  private async process(batch: RecordBatch): Promise<void> {
    const { topic, partition } = batch;
    const began = performance.now();
    const { progress, fresh, stale } = this.progress.begin(batch);
    if (stale) this.pipeline.drop(topic, partition);
    await this.pipeline.process({ topic, partition, records: fresh }).forEach((outcome) => {
      progress.undelivered.push(this.delivery(outcome, batch));
    });
    this.tally.flush(this.metrics);
    progress.analyzedTo = Math.max(progress.analyzedTo, fresh.at(-1)?.offset ?? -1);
    await this.deliver(progress.undelivered);
    progress.undelivered = [];
    await this.commit(batch);
    this.lastEventAt = this.now();
    this.metrics.consumerLag.set({ topic, partition: String(partition) }, batch.lag);
    this.metrics.batchDuration.observe((performance.now() - began) / 1000);
  }

  private delivery(outcome: Outcome<LogRecord>, batch: RecordBatch): Delivery {
    const { topics, logger } = this.deps;
    const { record } = outcome;
    if (outcome.type === 'verdict') {
      const verdict: Verdict = { ...outcome.verdict, detectedAt: this.now() };
      const output = { topic: topics.verdicts, key: verdict.sessionId, value: JSON.stringify(verdict) };
      return { output, verdict, timestamp: record.timestamp };
    }
    const { reason, message } = outcome;
    this.metrics.deadLetters.inc({ reason });
    const where = `${batch.topic}/${String(batch.partition)}@${String(record.offset)}`;
    logger.warn({ reason, where }, oneLine(`Record ${where} could not be read: ${message}`));
    const output = deadLetter(topics['dead-letters'], record, batch, reason, message);
    return { output, verdict: null, timestamp: record.timestamp };
  }

  /** Delivers, then counts and logs what has been delivered. */
  private async deliver(deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    try {
      await this.deps.sink.publish(deliveries.map(({ output }) => output));
    } catch (error) {
      this.deps.logger.error({ err: error }, 'Verdicts could not be delivered; the batch will come again');
      throw error;
    }
    const sentAt = this.now();
    for (const { verdict, timestamp } of deliveries) {
      if (verdict === null) continue;
      this.incidents.note(verdict);
      this.metrics.detectionLatency.observe(Math.max(0, sentAt - timestamp) / 1000);
      logVerdict(this.deps.logger, verdict);
    }
  }

  private async commit(batch: RecordBatch): Promise<void> {
    try {
      await batch.commit();
    } catch (error) {
      const lost = error instanceof LogError && error.code === 'partition_lost';
      this.deps.logger[lost ? 'info' : 'error']({ err: error }, 'The offset could not be committed');
      throw error;
    }
  }
}
