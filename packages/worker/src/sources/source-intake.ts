import type { SourceSettings, TopicNames } from '@loopwatch/contract';
import type { TaskRunner, ValueDecoder } from '@loopwatch/log';
import type { MessagingSystem } from '@loopwatch/telemetry';
import type { Logger } from 'pino';
import type { DeadLetterLog } from '../partition/dead-letter-log.ts';
import { PartitionWatch, type StuckPartition } from '../partition/watch.ts';
import type { WorkerMetrics } from '../report/metrics.ts';
import { IgnoredTypes, SourceTask } from './source-task.ts';

/** Topics of other producers, and the runner that reads them. */
export interface Sources {
  /** Uses a consumer group of its own. */
  readonly runner: TaskRunner;
  /** By topic. */
  readonly settings: Readonly<Record<string, SourceSettings>>;
  /** For values that name their schema; without it, they become dead letters. */
  readonly decoder?: ValueDecoder | undefined;
}

export interface SourceIntakeDeps extends Sources {
  readonly topics: TopicNames;
  readonly metrics: WorkerMetrics;
  readonly letters: DeadLetterLog;
  readonly logger: Logger;
  /** Monotonic clock, ms. */
  readonly monotonic: () => number;
  /** Where the records come from, in spans. */
  readonly system: MessagingSystem;
}

/** Translates the topics of other producers into the events topic, keyed by session, exactly once. */
export class SourceIntake {
  readonly #deps: SourceIntakeDeps;
  readonly #watch: PartitionWatch;

  constructor(deps: SourceIntakeDeps) {
    this.#deps = deps;
    this.#watch = new PartitionWatch(deps.metrics, deps.monotonic);
  }

  get stuck(): readonly StuckPartition[] {
    return this.#watch.stuck;
  }

  /** @throws LogError when the log is unavailable or a topic is missing */
  async start(): Promise<void> {
    const { runner, settings, decoder, topics, metrics, letters, logger, system } = this.#deps;
    const ignored = new IgnoredTypes(logger);
    const onCommitted = this.#watch.note.bind(this.#watch);
    await runner.run(
      (topicPartition, lane) => {
        const source = settings[topicPartition.topic];
        if (source === undefined) throw new Error(`topic ${topicPartition.topic} is not a configured source`);
        this.#watch.own(topicPartition);
        return new SourceTask(topicPartition, lane, source, {
          decoder,
          topics,
          metrics,
          logger,
          letters,
          ignored,
          onCommitted,
          system,
        });
      },
      {
        onAssignment: (partitions, { arrived, left }) => {
          this.#watch.assign(partitions);
          logger.info(
            { partitions: partitions.length, arrived, left },
            `Source partitions assigned: ${String(partitions.length)} (${String(arrived)} added, ${String(left)} revoked)`,
          );
        },
        onInterrupted: (topicPartition, reason) => {
          metrics.interruptions.inc();
          this.#watch.interrupted(topicPartition, reason);
        },
      },
    );
    logger.info(
      { sources: Object.keys(settings) },
      `Translating ${Object.keys(settings).join(', ')} to ${topics.events}`,
    );
  }

  /** Updates lag and stuck partitions from the log's positions. */
  async updatePositions(): Promise<void> {
    for (const position of await this.#deps.runner.positions()) this.#watch.note(position);
  }

  stop(): Promise<void> {
    return this.#deps.runner.stop();
  }
}
