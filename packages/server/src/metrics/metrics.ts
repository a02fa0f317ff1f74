import type { NotificationStatus, Status } from '@loopwatch/contract/api';
import type { Database, DatabaseLoad } from '@loopwatch/storage';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Metrics of the server; detection is measured by the worker. Label values come from closed sets. */
export interface ServerMetrics {
  readonly verdicts: Counter<'result'>;
  readonly deadLetters: Counter<'topic' | 'reason'>;
  readonly postedEvents: Counter<'result'>;
  readonly requests: Histogram<'method' | 'route' | 'status'>;
  readonly liveClients: Gauge;
  readonly incidents: Counter<'change'>;
  readonly liveDropped: Counter;
  readonly queries: Histogram<'work'>;
  readonly removed: Counter<'rows'>;
  readonly backtests: Counter<'status'>;
  readonly refusedTokens: Counter<'result'>;
  readonly notifications: Counter<'name' | 'type' | 'outcome'>;
}

/** State that is read when the metrics are scraped. */
export interface ServerState {
  readonly load: () => DatabaseLoad;
  readonly topics: () => Status['log']['topics'];
  readonly backtests: () => { readonly queued: number; readonly running: number };
  /** Wall clock, epoch ms; null before the first. */
  readonly lastRetentionAt: () => number | null;
  readonly notifications: () => Promise<readonly NotificationStatus[]>;
}

export function createServerMetrics(registry: Registry): ServerMetrics {
  const registers = [registry];
  return {
    verdicts: new Counter({
      name: 'loopwatch_server_verdicts_read_total',
      help: 'Records of the verdict topic, by result: stored, duplicate, unreadable.',
      labelNames: ['result'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'loopwatch_server_dead_letters_total',
      help: 'Records that could not be stored and became dead letters, by topic and reason: invalid_record, not_stored.',
      labelNames: ['topic', 'reason'],
      registers,
    }),
    postedEvents: new Counter({
      name: 'loopwatch_server_posted_events_total',
      help: 'Events sent to POST /api/v1/events: accepted, duplicate, ignored, rejected, failed (the log could not be written).',
      labelNames: ['result'],
      registers,
    }),
    requests: new Histogram({
      name: 'loopwatch_server_http_request_duration_seconds',
      help: 'Duration of HTTP requests, by route pattern.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5],
      registers,
    }),
    incidents: new Counter({
      name: 'loopwatch_server_incidents_total',
      help: 'Incidents written, by change: opened, changed.',
      labelNames: ['change'],
      registers,
    }),
    liveDropped: new Counter({
      name: 'loopwatch_server_live_dropped_total',
      help: 'Changes not sent to dashboards individually because there were too many at once.',
      registers,
    }),
    liveClients: new Gauge({
      name: 'loopwatch_server_live_clients',
      help: 'Dashboards connected to the namespace /live.',
      registers,
    }),
    queries: new Histogram({
      name: 'loopwatch_server_database_duration_seconds',
      help: 'Duration of database work, including the wait for a connection: query, transaction.',
      labelNames: ['work'],
      buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
      registers,
    }),
    removed: new Counter({
      name: 'loopwatch_server_retention_removed_total',
      help: 'Rows deleted by retention: incidents, sessions, messages.',
      labelNames: ['rows'],
      registers,
    }),
    refusedTokens: new Counter({
      name: 'loopwatch_server_refused_tokens_total',
      help: 'Rejected tokens, over all endpoints: wrong, limited (too many wrong ones from their address).',
      labelNames: ['result'],
      registers,
    }),
    notifications: new Counter({
      name: 'loopwatch_notifications_total',
      help: 'Messages about incidents, by receiver, type and outcome: sent, retried, refused, expired.',
      labelNames: ['name', 'type', 'outcome'],
      registers,
    }),
    backtests: new Counter({
      name: 'loopwatch_server_backtests_total',
      help: 'Finished backtests: done, failed, cancelled.',
      labelNames: ['status'],
      registers,
    }),
  };
}

/** Gauges, read at each scrape. */
export function watchServerState(registry: Registry, state: ServerState): void {
  const registers = [registry];
  new Gauge({
    name: 'loopwatch_server_database_connections',
    help: 'Database connections (busy, idle), and work waiting for one (waiting).',
    labelNames: ['state'],
    registers,
    collect() {
      const { connections, idle, waiting } = state.load();
      this.set({ state: 'busy' }, connections - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  const eachPartition = (
    set: (labels: { topic: string; partition: number }, of: PartitionStatus) => void,
  ): void => {
    for (const { name, partitions } of state.topics()) {
      for (const one of partitions) set({ topic: name, partition: one.partition }, one);
    }
  };
  new Gauge({
    name: 'loopwatch_server_feed_position',
    help: 'Offset that the server reads next.',
    labelNames: ['topic', 'partition'],
    registers,
    collect() {
      this.reset();
      eachPartition((labels, { nextOffset }) => {
        this.set(labels, nextOffset);
      });
    },
  });
  new Gauge({
    name: 'loopwatch_server_feed_lag',
    help: 'Records of a topic that the server has not stored yet.',
    labelNames: ['topic', 'partition'],
    registers,
    collect() {
      this.reset();
      eachPartition((labels, { lag }) => {
        if (lag !== null) this.set(labels, lag);
      });
    },
  });
  new Gauge({
    name: 'loopwatch_server_backtests',
    help: 'Current backtests: queued, running.',
    labelNames: ['status'],
    registers,
    collect() {
      for (const [status, count] of Object.entries(state.backtests())) this.set({ status }, count);
    },
  });
  let reading: ReturnType<ServerState['notifications']> | undefined;
  /** Read once for both gauges; while the database is unavailable they keep their last values. */
  const notifications = () =>
    (reading ??= state
      .notifications()
      .catch(() => [])
      .finally(() => {
        reading = undefined;
      }));
  new Gauge({
    name: 'loopwatch_notifications_waiting',
    help: 'Messages waiting to be delivered, by receiver.',
    labelNames: ['name', 'type'],
    registers,
    async collect() {
      for (const { name, type, waiting } of await notifications()) this.set({ name, type }, waiting);
    },
  });
  new Gauge({
    name: 'loopwatch_notifications_failing',
    help: '1 while messages to a receiver fail, else 0.',
    labelNames: ['name', 'type'],
    registers,
    async collect() {
      for (const { name, type, failingSince } of await notifications())
        this.set({ name, type }, failingSince === null ? 0 : 1);
    },
  });
  new Gauge({
    name: 'loopwatch_server_retention_last_run_timestamp_seconds',
    help: 'Time of the latest retention run; 0 before the first.',
    registers,
    collect() {
      this.set((state.lastRetentionAt() ?? 0) / 1_000);
    },
  });
}

type PartitionStatus = Status['log']['topics'][number]['partitions'][number];

/** Measures the duration of queries and transactions, the wait for a connection included. */
export function timeQueries(database: Database, { queries }: Pick<ServerMetrics, 'queries'>): Database {
  const timed = async <T>(work: 'query' | 'transaction', running: Promise<T>): Promise<T> => {
    const stop = queries.startTimer({ work });
    try {
      return await running;
    } finally {
      stop();
    }
  };
  return {
    ...database,
    query: (sql, parameters) => timed('query', database.query(sql, parameters)),
    transaction: (work, options) => timed('transaction', database.transaction(work, options)),
  };
}
