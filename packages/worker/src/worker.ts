import type { CheckRecord, DetectionSettings, TopicNames, Verdict } from '@loopwatch/contract';
import {
  type EventSource,
  LogError,
  type LogRecord,
  type RecordBatch,
  type VerdictSink,
} from '@loopwatch/log';
import { type LateAnswer, LoopPipeline, type Outcome, type PipelineObserver } from '@loopwatch/pipeline';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { deadLetter } from './dead-letter.ts';
import { EventTally } from './event-tally.ts';
import { IncidentBook } from './incident-book.ts';
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
import { oneLine } from './one-line.ts';
import { type Delivery, PartitionProgress, type Progress } from './partition-progress.ts';
import { SemanticDesk } from './semantic/desk.ts';
import type { ModelClient } from './semantic/limited-judge.ts';
import { logTurnRequest } from './turn-request-log.ts';
import { logVerdict } from './verdict-log.ts';

export interface WorkerDeps {
  readonly source: EventSource;
  readonly sink: VerdictSink;
  readonly topics: TopicNames;
  readonly detection: DetectionSettings;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Who judges long prompts; without one the semantic layer is off. */
  readonly model?: ModelClient | undefined;
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
  private readonly desk: SemanticDesk | undefined;
  /** The last delivery of each partition: one follows the other, so that verdicts keep their order. */
  private readonly lanes = new Map<string, Promise<void>>();
  private connection: WorkerStatus = { connected: false, detail: 'starting' };
  /** Wall clock of the latest record processed, epoch ms. */
  lastEventAt: number | null = null;

  constructor(deps: WorkerDeps) {
    this.deps = deps;
    this.now = deps.now ?? Date.now;
    this.metrics = createWorkerMetrics(deps.registry, () => this.pipeline.activeSessions);
    this.incidents = new IncidentBook(this.metrics);
    const { metrics, incidents } = this;
    this.desk = this.openDesk();
    const observer: PipelineObserver = {
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
    };
    this.pipeline = new LoopPipeline(deps.detection, observer, this.desk);
  }

  private openDesk(): SemanticDesk | undefined {
    const { detection, logger, model: client } = this.deps;
    if (client === undefined) return undefined;
    const deliver = (late: LateAnswer, record: CheckRecord | null): void => {
      void this.deliverLate(late, record);
    };
    return new SemanticDesk({ client, detection, metrics: this.metrics, logger, deliver });
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
    this.desk?.close();
    await this.deps.source.stop();
    await Promise.all(this.lanes.values());
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
    await this.inLane(batch, () => this.deliver(progress));
    await this.commit(batch);
    this.lastEventAt = this.now();
    this.metrics.consumerLag.set({ topic, partition: String(partition) }, batch.lag);
    this.metrics.batchDuration.observe((performance.now() - began) / 1000);
  }

  private delivery(outcome: Outcome<LogRecord>, batch: RecordBatch): Delivery {
    const { topics, logger } = this.deps;
    const { record } = outcome;
    if (outcome.type === 'verdict') {
      return this.verdictDelivery(outcome.verdict, this.now(), record.timestamp);
    }
    const { reason, message } = outcome;
    this.metrics.deadLetters.inc({ reason });
    const where = `${batch.topic}/${String(batch.partition)}@${String(record.offset)}`;
    logger.warn({ reason, where }, oneLine(`Record ${where} could not be read: ${message}`));
    const output = deadLetter(topics['dead-letters'], record, batch, reason, message);
    return { output, verdict: null, timestamp: record.timestamp };
  }

  /** A verdict on its way out; `timestamp` is that of the record that led to it. */
  private verdictDelivery(
    found: Omit<Verdict, 'detectedAt'>,
    detectedAt: number,
    timestamp: number,
  ): Delivery {
    const verdict: Verdict = { ...found, detectedAt };
    const output = {
      topic: this.deps.topics.verdicts,
      key: verdict.sessionId,
      value: JSON.stringify(verdict),
    };
    return { output, verdict, timestamp };
  }

  /** Runs when all that was to be delivered for the partition before is through. */
  private inLane({ topic, partition }: Pick<RecordBatch, 'topic' | 'partition'>, task: () => Promise<void>) {
    const name = `${topic}/${String(partition)}`;
    const before = this.lanes.get(name);
    const run = before === undefined ? task() : before.then(task);
    const settled = run.then(
      () => undefined,
      () => undefined,
    );
    this.lanes.set(name, settled);
    void settled.then(() => {
      if (this.lanes.get(name) === settled) this.lanes.delete(name);
    });
    return run;
  }

  /** What fails goes out with the partition's next batch; the events were committed long ago. */
  private async deliverLate(late: LateAnswer, record: CheckRecord | null): Promise<void> {
    const { place, outcomes } = late;
    const { topics, logger } = this.deps;
    await this.inLane(place, async () => {
      const progress = this.progress.of(place);
      if (progress === undefined) return;
      const timestamp = this.now();
      if (record !== null) {
        const output = { topic: topics.checks, key: record.id, value: JSON.stringify(record) };
        progress.undelivered.push({ output, verdict: null, timestamp });
      }
      for (const { verdict } of outcomes ?? []) {
        progress.undelivered.push(this.verdictDelivery(verdict, timestamp, timestamp));
      }
      await this.deliver(progress);
    }).catch((error: unknown) => {
      logger.debug({ err: error }, 'A late verdict waits for the next batch');
    });
  }

  /** Delivers, then counts and logs what has been delivered. */
  private async deliver(progress: Progress): Promise<void> {
    const deliveries = progress.undelivered.splice(0);
    if (deliveries.length === 0) return;
    try {
      await this.deps.sink.publish(deliveries.map(({ output }) => output));
    } catch (error) {
      progress.undelivered.unshift(...deliveries);
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
