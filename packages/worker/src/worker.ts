import { type DetectionSettings, detectionSettings, type TopicNames } from '@loopwatch/contract';
import { LiveSettings, maskPatterns } from '@loopwatch/detectors/internal';
import type { TaskObserver, TaskRunner, TopicReader } from '@loopwatch/log';
import type { MessagingSystem } from '@loopwatch/telemetry';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { HeapGuard } from './heap-guard.ts';
import { DeadLetterLog } from './partition/dead-letter-log.ts';
import { PartitionProcessor } from './partition/processor.ts';
import { PartitionWatch, stuckDetail } from './partition/watch.ts';
import { traceRecovery } from './report/batch-trace.ts';
import { DetectionReport } from './report/detection-report.ts';
import { IncidentMetrics } from './report/incident-metrics.ts';
import { createWorkerMetrics, type WorkerMetrics } from './report/metrics.ts';
import { SemanticCheckService } from './semantic/check-service.ts';
import type { ModelClient } from './semantic/limited-judge.ts';
import { SourceIntake, type Sources } from './sources/source-intake.ts';
import { LoopPipeline } from './stream/loop-pipeline.ts';

export interface WorkerDeps {
  readonly runner: TaskRunner;
  /** The `control` topic: server and model settings that change while workers run. */
  readonly control?: TopicReader | undefined;
  /** Topics of other producers; none by default. */
  readonly sources?: Sources | undefined;
  readonly topics: TopicNames;
  readonly detection: DetectionSettings;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Judges long prompts; without it the semantic layer is off. */
  readonly model?: ModelClient | undefined;
  /** Where the records come from, in spans. */
  readonly system: MessagingSystem;
  /** Upper bound of the records that a takeover replays; 100,000 by default. */
  readonly maxReplayRecords?: number;
  /** Sessions that a takeover restores before the first record is processed; 1,000 by default. */
  readonly restoredFirst?: number;
  /** Wall clock, epoch ms; the system's by default. */
  readonly now?: () => number;
  /** Monotonic clock, ms; the system's by default. */
  readonly monotonic?: () => number;
  /** How often summaries of active sessions are published, ms; 1,000 by default. */
  readonly summaryIntervalMs?: number;
}

const POSITION_INTERVAL_MS = 5_000;
const MAX_REPLAY_RECORDS = 100_000;
const SUMMARY_INTERVAL_MS = 1_000;

/** For health checks. */
export interface WorkerStatus {
  /** Whether the event log is reachable and no partition of this worker is stuck. */
  readonly connected: boolean;
  readonly detail: string;
}

/**
 * Turns records into verdicts: one {@link PartitionProcessor} for each partition that this process owns, sharing one
 * pipeline, one set of metrics and one semantic check service.
 */
export class Worker {
  readonly #deps: WorkerDeps;
  readonly #now: () => number;
  readonly #metrics: WorkerMetrics;
  readonly #incidents: IncidentMetrics;
  readonly #report: DetectionReport;
  readonly #pipeline: LoopPipeline;
  readonly #settings: LiveSettings;
  readonly #checks: SemanticCheckService | undefined;
  readonly #letters: DeadLetterLog;
  readonly #watch: PartitionWatch;
  readonly #heap: HeapGuard;
  readonly #sources: SourceIntake | undefined;
  #positionTimer: NodeJS.Timeout | undefined;
  #connection: WorkerStatus = { connected: false, detail: 'starting' };

  constructor(deps: WorkerDeps) {
    const {
      logger,
      detection,
      topics,
      sources,
      now = Date.now,
      monotonic = performance.now.bind(performance),
    } = deps;
    this.#deps = deps;
    this.#now = now;
    const metrics = createWorkerMetrics(deps.registry, {
      activeSessions: () => this.#pipeline.activeSessions,
      incidents: () => this.#incidents.statesAt(now()),
    });
    this.#metrics = metrics;
    this.#incidents = new IncidentMetrics(metrics);
    this.#letters = new DeadLetterLog(logger, monotonic);
    this.#watch = new PartitionWatch(metrics, monotonic);
    const letters = this.#letters;
    const { system } = deps;
    this.#sources =
      sources && new SourceIntake({ ...sources, topics, metrics, letters, logger, monotonic, system });
    this.#checks = this.#createChecks();
    const mask = maskPatterns(detection.privacy.mask);
    this.#report = new DetectionReport({ metrics, incidents: this.#incidents, logger, mask, now });
    this.#pipeline = new LoopPipeline(detection, this.#report, this.#checks, true);
    this.#heap = new HeapGuard({
      sessions: () => this.#pipeline.activeSessions,
      free: (sessions) => {
        this.#pipeline.free(sessions);
      },
      logger,
      monotonic,
    });
    this.#settings = new LiveSettings({
      // Callers may pass the settings of a whole process, passwords included. Only these may be stored in a topic.
      configured: detectionSettings(detection),
      prepare: (settings) => this.#pipeline.prepare(settings),
      log: (level, message, fields) => {
        logger[level](fields, message);
      },
    });
  }

  /** Wall clock of the latest batch processed, epoch ms. */
  get lastEventAt(): number | null {
    return this.#report.lastEventAt;
  }

  /** While records are waiting: the timestamp up to which all are processed, epoch ms; null if none is waiting. */
  get readTo(): number | null {
    return this.#watch.readTo;
  }

  get status(): WorkerStatus {
    const stuck = [...this.#watch.stuck, ...(this.#sources?.stuck ?? [])].map(stuckDetail);
    if (!this.#connection.connected || stuck.length === 0) return this.#connection;
    return { connected: false, detail: stuck.join('; ') };
  }

  /** Updates lag and stuck partitions from the log's positions. */
  async updatePositions(): Promise<void> {
    this.#letters.tick();
    for (const position of await this.#deps.runner.positions()) this.#watch.note(position);
    await this.#sources?.updatePositions();
  }

  /** @throws LogError when the log is unavailable or a topic is missing; everything is closed again then */
  async start(): Promise<void> {
    this.#heap.start();
    try {
      // Settings changed earlier apply from the first record.
      await this.#deps.control?.run(({ records }) => {
        this.#settings.apply(records);
      });
      await this.#deps.runner.run((topicPartition, lane) => {
        this.#watch.own(topicPartition);
        return new PartitionProcessor(topicPartition, lane, {
          pipeline: this.#pipeline,
          settings: this.#settings,
          topics: this.#deps.topics,
          metrics: this.#metrics,
          incidents: this.#incidents,
          report: this.#report,
          watch: this.#watch,
          logger: this.#deps.logger,
          letters: this.#letters,
          now: this.#now,
          system: this.#deps.system,
          summaryIntervalMs: this.#deps.summaryIntervalMs ?? SUMMARY_INTERVAL_MS,
          restoredFirst: this.#deps.restoredFirst,
          maxReplayRecords: this.#deps.maxReplayRecords ?? MAX_REPLAY_RECORDS,
        });
      }, this.#taskObserver());
      await this.#sources?.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#connection = { connected: true, detail: 'connected' };
    this.#positionTimer = setInterval(() => void this.updatePositions(), POSITION_INTERVAL_MS).unref();
  }

  /** Stops fetching, commits the batches in progress, then closes. */
  async stop(): Promise<void> {
    clearInterval(this.#positionTimer);
    this.#heap.stop();
    await this.#deps.control?.stop();
    try {
      await this.#sources?.stop();
      await this.#deps.runner.stop();
    } finally {
      // Not earlier: an aborted check is recorded as failed, while the next owner could have asked again.
      this.#checks?.close();
      this.#letters.flush();
    }
    this.#connection = { connected: false, detail: 'stopped' };
  }

  #createChecks(): SemanticCheckService | undefined {
    const { detection, logger, model: client } = this.#deps;
    if (client === undefined) return undefined;
    return new SemanticCheckService({
      client,
      detection,
      metrics: this.#metrics,
      logger,
    });
  }

  #taskObserver(): TaskObserver {
    const { logger, system } = this.#deps;
    return {
      onAssignment: (partitions, { arrived, left }) => {
        this.#metrics.rebalances.inc();
        this.#watch.assign(partitions);
        logger.info(
          { partitions: partitions.length, arrived, left },
          `Partitions assigned: ${String(partitions.length)} (${String(arrived)} added, ${String(left)} revoked)`,
        );
      },
      onRecovered: (recovery) => {
        const { topic, partition, durationMs, restored, replayed, position } = recovery;
        traceRecovery(recovery, system);
        this.#metrics.recoveryDuration.observe(durationMs / 1000);
        logger.info(
          { topic, partition, durationMs: Math.round(durationMs), restored, replayed, position },
          `Partition ${String(partition)} recovered in ${(durationMs / 1000).toFixed(2)} s (snapshots restored: ${String(restored)}, ` +
            `records replayed: ${String(replayed)}), resuming at offset ${String(position)}`,
        );
      },
      onInterrupted: ({ topic, partition }, reason) => {
        this.#metrics.interruptions.inc();
        this.#watch.interrupted({ topic, partition }, reason);
      },
      onDrained: ({ topic, partition }, durationMs) => {
        logger.debug(
          { topic, partition, durationMs: Math.round(durationMs) },
          `Partition ${String(partition)} revoked, everything committed`,
        );
      },
      onConnection: (state, reason) => {
        const detail = reason ?? (state === 'up' ? 'connected' : 'disconnected');
        this.#connection = { connected: state === 'up', detail };
        if (state === 'up') logger.info('Connected to the event log');
      },
    };
  }
}
