import type { DetectionSettings, TopicNames, TopicRole } from '@loopwatch/contract';
import type { Status } from '@loopwatch/contract/api';
import type { LogRecord, OutputRecord, RecordReader, RecordSink, TopicReader } from '@loopwatch/log';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { SharedBudgets } from '../budgets/shared-budgets.ts';
import type { SubAgentLimits } from '../budgets/sub-agent-limits.ts';
import type { ServerMetrics } from '../metrics/metrics.ts';
import type { EnqueueNotifications } from '../notifications/outbox.ts';
import { controlRecords } from './control-records.ts';
import { deadLetterRecords } from './dead-letter-records.ts';
import { sessionRecords } from './session-records.ts';
import { type StoreRecords, TopicFeed } from './topic-feed.ts';
import { triageRecords } from './triage-records.ts';
import { verdictRecords } from './verdict-records.ts';

/** What the server needs from an event log. */
export interface ServerLog {
  readonly kind: 'kafka' | 'embedded';
  reader(topic: string): TopicReader;
  records(): RecordReader;
  sink(): RecordSink;
  /** Deletes records for good; undefined: this log cannot. @returns how many */
  readonly erase?: (isErased: (topic: string, record: LogRecord) => boolean) => Promise<number>;
}

export interface FeedsOptions {
  readonly log: ServerLog;
  readonly configured: { readonly settings: DetectionSettings };
  readonly topics: TopicNames;
  readonly database: Database;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly enqueue: EnqueueNotifications;
  /** Called when verdicts on these sessions are in the database. */
  readonly onStored: (sessionIds: ReadonlySet<string>) => void;
  /** Called when settings are in the database. */
  readonly onSettings: () => void;
  /** Called when the marks of erased sessions were read from a topic, and what came before them is deleted. */
  readonly onMarks: (topic: 'verdicts' | 'sessions', sessionIds: readonly string[]) => void;
  readonly budgets: Pick<SharedBudgets, 'add' | 'wake'>;
  readonly subAgents: Pick<SubAgentLimits, 'note'>;
  /** Writes dead letters. */
  readonly sink: Pick<RecordSink, 'publish'>;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Reads the topics into the database. */
export class Feeds {
  /** Timestamp of the latest verdict, epoch ms; null before the first since the start. */
  lastVerdictAt: number | null = null;
  readonly #topics: TopicNames;
  readonly #feeds: ReadonlyMap<TopicRole, TopicFeed>;

  constructor(options: FeedsOptions) {
    const {
      log,
      configured,
      topics,
      database,
      metrics,
      logger,
      enqueue,
      onStored,
      onSettings,
      onMarks,
      budgets,
      subAgents,
      sink,
      now,
    } = options;
    const system = log.kind === 'kafka' ? 'kafka' : 'loopwatch_embedded';
    this.#topics = topics;
    const feed = (role: TopicRole, store: StoreRecords): [TopicRole, TopicFeed] => [
      role,
      new TopicFeed({
        reader: log.reader(topics[role]),
        database,
        logger,
        store,
        system,
        now,
        deadLetterTopic: topics['dead-letters'],
        // A dead letter never becomes another one.
        publish: async (letters: readonly OutputRecord[]) => {
          if (role !== 'dead-letters') await sink.publish(letters);
        },
        onSetAside: (set) => {
          for (const { reason } of set) metrics.deadLetters.inc({ topic: role, reason });
        },
      }),
    ];
    const onVerdict = (timestamp: number): void => {
      this.lastVerdictAt = Math.max(this.lastVerdictAt ?? timestamp, timestamp);
    };
    this.#feeds = new Map([
      feed('verdicts', verdictRecords({ metrics, onVerdict, onStored, onMarks, enqueue })),
      feed('sessions', sessionRecords({ enqueue, budgets, subAgents, onMarks })),
      feed('triage', triageRecords()),
      feed('dead-letters', deadLetterRecords()),
      feed(
        'control',
        controlRecords(logger, log.kind === 'kafka' ? configured.settings : undefined, onSettings),
      ),
    ]);
  }

  /** Resolves when reading has started. @throws LogError */
  async run(): Promise<void> {
    await Promise.all([...this.#feeds.values()].map((feed) => feed.run()));
  }

  /** Waits for transactions in progress. */
  async stop(): Promise<void> {
    await Promise.all([...this.#feeds.values()].map((feed) => feed.stop()));
  }

  /** Records not stored yet, over all topics; null before the first batches. */
  get lag(): number | null {
    const lags = this.#partitions.flatMap(({ lag }) => lag ?? []);
    return lags.length === 0 ? null : lags.reduce((sum, lag) => sum + lag, 0);
  }

  /** While records are waiting: the timestamp up to which all are stored, epoch ms; null if none is waiting. */
  get readTo(): number | null {
    const behind = this.#partitions.filter(({ lag }) => (lag ?? 0) > 0);
    const times = behind.flatMap(({ readTo }) => readTo ?? []);
    return times.length === 0 ? null : Math.min(...times);
  }

  /** The connection to the log: down as soon as one topic cannot be read. */
  get connection(): { readonly state: 'up' | 'down'; readonly reason: string | null } {
    const down = [...this.#feeds.values()].find(({ connection }) => connection.state === 'down');
    return down?.connection ?? { state: 'up', reason: null };
  }

  /** Why records cannot be stored; null when they can. */
  get error(): string | null {
    return [...this.#feeds.values()].find(({ error }) => error !== null)?.error ?? null;
  }

  /** Position and lag of each topic. */
  get status(): Status['log']['topics'] {
    return Object.entries(this.#topics).map(([role, name]) => {
      const feed = this.#feeds.get(role as TopicRole);
      const partitions = (feed?.partitions ?? []).map(({ partition, position, lag, setAside, latest }) => ({
        partition,
        nextOffset: position,
        lag,
        setAside,
        latestSetAside: latest,
      }));
      return { role: role as TopicRole, name, read: feed !== undefined, partitions };
    });
  }

  get #partitions() {
    return [...this.#feeds.values()].flatMap(({ partitions }) => partitions);
  }
}
