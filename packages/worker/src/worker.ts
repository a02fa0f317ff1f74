import {
  type CheckRecord,
  type DetectionSettings,
  detectionSettings,
  type TopicNames,
} from '@loopwatch/contract';
import { maskPatterns, maskSecrets, oneLine } from '@loopwatch/detectors';
import type { Place, TaskObserver, TaskRunner, TopicReader } from '@loopwatch/log';
import { type LateAnswer, LoopPipeline, type PipelineObserver, WideSettings } from '@loopwatch/pipeline';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { DeadLetterLog } from './dead-letter-log.ts';
import { EventTally } from './event-tally.ts';
import { HeapGuard } from './heap-guard.ts';
import { IncidentBook } from './incident-book.ts';
import { createWorkerMetrics, type WorkerMetrics } from './metrics.ts';
import { PartitionProcessor } from './partition-processor.ts';
import { PartitionWatch, stuckDetail } from './partition-watch.ts';
import { SemanticDesk } from './semantic/desk.ts';
import type { ModelClient } from './semantic/limited-judge.ts';
import { SourceIntake, type Sources } from './sources/source-intake.ts';
import { logTurnRequest } from './turn-request-log.ts';

export interface WorkerDeps {
  readonly runner: TaskRunner;
  /** Records of the `control` topic: settings of the server and of models that change while workers run. */
  readonly control?: TopicReader | undefined;
  /** Topics of other producers; none by default. */
  readonly sources?: Sources | undefined;
  readonly topics: TopicNames;
  readonly detection: DetectionSettings;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Who judges long prompts; without one the semantic layer is off. */
  readonly model?: ModelClient | undefined;
  /** Records of a partition that a takeover reads again, at most; 100,000 by default. */
  readonly replayReach?: number;
  /** Wall clock, epoch ms; the system's by default. */
  readonly now?: () => number;
  /** A clock that never goes back, ms; the system's by default. */
  readonly monotonic?: () => number;
  /** How often what goes on in sessions is told, ms; 1,000 by default. */
  readonly tellIntervalMs?: number;
}

/** How often is asked how far the partitions are. */
const LOOK_MS = 5_000;
const REPLAY_REACH = 100_000;
const TELL_INTERVAL_MS = 1_000;

/** What a health check may ask. */
export interface WorkerStatus {
  /** To the event log, and no partition of this worker stands still. */
  readonly connected: boolean;
  readonly detail: string;
}

/**
 * From records to verdicts: one {@link PartitionProcessor} for each partition that this process owns, all on one pipeline,
 * one set of metrics and one desk for the questions to a model.
 */
export class Worker {
  private readonly deps: WorkerDeps;
  private readonly now: () => number;
  private readonly pipeline: LoopPipeline;
  private readonly metrics: WorkerMetrics;
  private readonly incidents: IncidentBook;
  private readonly settings: WideSettings;
  private readonly tally = new EventTally();
  private readonly desk: SemanticDesk | undefined;
  private readonly partitions = new Map<string, PartitionProcessor>();
  private readonly letters: DeadLetterLog;
  private readonly watch: PartitionWatch;
  private readonly heap: HeapGuard;
  private readonly sources: SourceIntake | undefined;
  private looks: NodeJS.Timeout | undefined;
  private connection: WorkerStatus = { connected: false, detail: 'starting' };
  /** Wall clock of the latest record processed, epoch ms. */
  lastEventAt: number | null = null;

  constructor(deps: WorkerDeps) {
    this.deps = deps;
    this.now = deps.now ?? Date.now;
    this.metrics = createWorkerMetrics(deps.registry, {
      activeSessions: () => this.pipeline.activeSessions,
      incidents: () => this.incidents.statesAt(this.now()),
    });
    this.incidents = new IncidentBook(this.metrics);
    const monotonic = deps.monotonic ?? (() => performance.now());
    this.letters = new DeadLetterLog(deps.logger, monotonic);
    this.watch = new PartitionWatch(this.metrics, monotonic);
    const { metrics, incidents, letters } = this;
    const { topics, logger, sources } = deps;
    this.sources = sources && new SourceIntake({ ...sources, topics, metrics, letters, logger, monotonic });
    this.desk = this.openDesk();
    const mask = maskPatterns(deps.detection.privacy.mask);
    const observer: PipelineObserver = {
      event: (type) => {
        this.tally.add(type);
      },
      duplicate: () => {
        this.tally.note('duplicates');
      },
      refusedSetting: (sessionId, message) => {
        this.tally.note('refusedSettings');
        // It quotes, and may cut, what a user wrote in a prompt or an event.
        const shown = maskSecrets(message, mask, () => undefined);
        deps.logger.warn({ sessionId }, oneLine(`Rejected a setting of session ${sessionId}: ${shown}`));
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
        this.tally.note('faults');
        deps.logger.error(
          { err: error, sessionId, offset },
          'Detection failed on an event; its session was reset. This is a bug: please report it.',
        );
      },
    };
    this.pipeline = new LoopPipeline(deps.detection, observer, this.desk, true);
    this.heap = new HeapGuard({
      sessions: () => this.pipeline.activeSessions,
      free: (sessions) => {
        this.pipeline.free(sessions);
      },
      logger: deps.logger,
      monotonic,
    });
    this.settings = new WideSettings({
      // A process hands over all its settings, passwords among them; these are kept in a topic, and read strictly.
      configured: detectionSettings(deps.detection),
      prepare: (settings) => this.pipeline.prepare(settings),
      log: (level, message, fields) => {
        deps.logger[level](fields, message);
      },
    });
  }

  private openDesk(): SemanticDesk | undefined {
    const { detection, logger, model: client } = this.deps;
    if (client === undefined) return undefined;
    const deliver = (late: LateAnswer, record: CheckRecord): void => {
      // Without the partition, its new owner asks again.
      this.partitions.get(nameOf(late.place))?.late(late, record);
    };
    return new SemanticDesk({ client, detection, metrics: this.metrics, logger, deliver });
  }

  get status(): WorkerStatus {
    const stuck = [...this.watch.stuck, ...(this.sources?.stuck ?? [])].map(stuckDetail);
    if (!this.connection.connected || stuck.length === 0) return this.connection;
    return { connected: false, detail: stuck.join('; ') };
  }

  /** Asks how far the partitions are; the metrics and the health check tell. */
  async look(): Promise<void> {
    this.letters.look();
    for (const position of await this.deps.runner.positions()) this.watch.note(position);
    await this.sources?.look();
  }

  /** @throws LogError when the log cannot be reached or a topic is missing; everything is closed again then */
  async start(): Promise<void> {
    this.heap.start();
    try {
      // What was set before holds from the first record on.
      await this.deps.control?.run(({ records }) => {
        this.settings.take(records);
      });
      await this.deps.runner.run((place, lane) => {
        const work = new PartitionProcessor(place, lane, {
          pipeline: this.pipeline,
          settings: this.settings,
          topics: this.deps.topics,
          metrics: this.metrics,
          incidents: this.incidents,
          tally: this.tally,
          logger: this.deps.logger,
          now: this.now,
          tellIntervalMs: this.deps.tellIntervalMs ?? TELL_INTERVAL_MS,
          replayReach: this.deps.replayReach ?? REPLAY_REACH,
          letters: this.letters,
          durable: (position) => {
            this.watch.note(position);
          },
          processed: () => {
            this.lastEventAt = this.now();
          },
        });
        this.partitions.set(nameOf(place), work);
        this.watch.own(place);
        return work;
      }, this.observer());
      await this.sources?.start();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.connection = { connected: true, detail: 'connected' };
    this.looks = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Stops fetching, lets the batches in progress become durable, then closes. */
  async stop(): Promise<void> {
    clearInterval(this.looks);
    this.heap.stop();
    await this.deps.control?.stop();
    try {
      await this.sources?.stop();
      await this.deps.runner.stop();
    } finally {
      // Not before: a check that is given up is kept as failed, while the next owner could have asked again.
      this.desk?.close();
      this.letters.flush();
    }
    this.connection = { connected: false, detail: 'stopped' };
  }

  private observer(): TaskObserver {
    const { metrics } = this;
    const { logger } = this.deps;
    return {
      onAssignment: (partitions, { arrived, left }) => {
        metrics.rebalances.inc();
        this.watch.assign(partitions);
        logger.info(
          { partitions: partitions.length, arrived, left },
          `Partitions assigned: ${String(partitions.length)} (${String(arrived)} new, ${String(left)} gone)`,
        );
      },
      onRecovered: ({ topic, partition, durationMs, restored, replayed, position }) => {
        metrics.recoveryDuration.observe(durationMs / 1000);
        logger.info(
          { topic, partition, durationMs: Math.round(durationMs), restored, replayed, position },
          `Partition ${String(partition)} taken over in ${(durationMs / 1000).toFixed(2)} s: ${String(restored)} snapshots ` +
            `restored, ${String(replayed)} records replayed, resuming at offset ${String(position)}`,
        );
      },
      onInterrupted: ({ topic, partition }, reason) => {
        metrics.interruptions.inc();
        this.watch.interrupted({ topic, partition }, reason);
      },
      onDrained: ({ topic, partition }, durationMs) => {
        logger.debug(
          { topic, partition, durationMs: Math.round(durationMs) },
          `Partition ${String(partition)} revoked, all steps committed`,
        );
      },
      onConnection: (state, reason) => {
        const detail = reason ?? (state === 'up' ? 'connected' : 'disconnected');
        this.connection = { connected: state === 'up', detail };
        if (state === 'up') logger.info('Connected to the event log');
      },
    };
  }
}

function nameOf({ topic, partition }: Place): string {
  return `${topic}/${String(partition)}`;
}
