import type { DetectionSettings, TopicNames, TopicRole } from '@loopwatch/contract';
import type { Status } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { SharedBudgets } from '../budgets/shared-budgets.ts';
import type { ServerMetrics } from '../metrics.ts';
import type { EnqueueNotifications } from '../notifications/outbox.ts';
import { controlRecords } from './control-records.ts';
import type { ServerLog } from './server-log.ts';
import { sessionRecords } from './session-records.ts';
import { type StoreRecords, TopicFeed } from './topic-feed.ts';
import { triageRecords } from './triage-records.ts';
import { verdictRecords } from './verdict-records.ts';

export interface FeedsOptions {
  readonly log: ServerLog;
  readonly configured: { readonly settings: DetectionSettings };
  readonly topics: TopicNames;
  readonly database: Database;
  readonly metrics: ServerMetrics;
  readonly logger: Logger;
  readonly enqueue: EnqueueNotifications;
  /** Verdicts on these sessions are in the database. */
  readonly onStored: (sessionIds: ReadonlySet<string>) => void;
  readonly budgets: Pick<SharedBudgets, 'add' | 'wake'>;
}

/** Everything that the server reads into its database. */
export class Feeds {
  /** Timestamp of the latest verdict, epoch ms; null before the first since the start. */
  lastVerdictAt: number | null = null;
  private readonly topics: TopicNames;
  private readonly feeds: ReadonlyMap<TopicRole, TopicFeed>;

  constructor(options: FeedsOptions) {
    const { log, configured, topics, database, metrics, logger, enqueue, onStored, budgets } = options;
    this.topics = topics;
    const feed = (role: TopicRole, store: StoreRecords): [TopicRole, TopicFeed] => [
      role,
      new TopicFeed({ reader: log.reader(topics[role]), database, logger, store }),
    ];
    const onVerdict = (timestamp: number): void => {
      this.lastVerdictAt = Math.max(this.lastVerdictAt ?? timestamp, timestamp);
    };
    this.feeds = new Map([
      feed('verdicts', verdictRecords({ metrics, logger, onVerdict, onStored, enqueue })),
      feed('sessions', sessionRecords({ logger, enqueue, budgets })),
      feed('triage', triageRecords(logger)),
      feed('control', controlRecords(logger, log.kind === 'kafka' ? configured.settings : undefined)),
    ]);
  }

  /** Resolves when reading has begun; rejects with a LogError that says what is missing. */
  async run(): Promise<void> {
    await Promise.all([...this.feeds.values()].map((feed) => feed.run()));
  }

  /** Lets what is being stored become durable. */
  async stop(): Promise<void> {
    await Promise.all([...this.feeds.values()].map((feed) => feed.stop()));
  }

  /** Records not stored yet, over all topics; null before the first batches. */
  get lag(): number | null {
    const lags = this.partitions.flatMap(({ lag }) => lag ?? []);
    return lags.length === 0 ? null : lags.reduce((sum, lag) => sum + lag, 0);
  }

  /** The link to the log: down as soon as one topic cannot be read. */
  get connection(): { readonly state: 'up' | 'down'; readonly reason: string | null } {
    const down = [...this.feeds.values()].find(({ connection }) => connection.state === 'down');
    return down?.connection ?? { state: 'up', reason: null };
  }

  /** What keeps records from being stored; null when nothing does. */
  get trouble(): string | null {
    return [...this.feeds.values()].find(({ trouble }) => trouble !== null)?.trouble ?? null;
  }

  /** How far each topic is read. */
  get status(): Status['log']['topics'] {
    return Object.entries(this.topics).map(([role, name]) => {
      const feed = this.feeds.get(role as TopicRole);
      const partitions = (feed?.partitions ?? []).map(({ partition, position, lag }) => ({
        partition,
        position,
        lag,
      }));
      return { role: role as TopicRole, name, read: feed !== undefined, partitions };
    });
  }

  private get partitions() {
    return [...this.feeds.values()].flatMap(({ partitions }) => partitions);
  }
}
