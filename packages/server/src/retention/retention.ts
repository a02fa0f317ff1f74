import type { Settings } from '@loopwatch/contract';
import { type Database, removeMessages } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { removeOldAudit } from '../audit/audit-log.ts';
import { removeDeploys } from '../deploys/write-deploys.ts';
import type { ServerMetrics } from '../metrics/metrics.ts';
import { BATCH_ROWS, removeEmptySums, removeIncidents, removeSessions } from './remove-oldest.ts';
import { storageSize } from './storage-size.ts';

export interface RetentionLimits {
  /** Age in days; null: no limit. */
  readonly days: number | null;
  readonly megabytes: number | null;
}

/** The limits of the configuration. */
export function retentionLimits({ storage }: Pick<Settings, 'storage'>): RetentionLimits {
  return { days: storage.retention_days, megabytes: storage.retention_megabytes };
}

export interface RetentionOptions {
  readonly database: Database;
  readonly limits: RetentionLimits;
  readonly metrics: Pick<ServerMetrics, 'removed'>;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

const DAY = 86_400_000;
const MEBIBYTE = 1024 * 1024;
const INTERVAL_MS = 60_000;
/** Transactions per run; the rest waits for the next run. */
const MAX_BATCHES = 40;
const HOUR = 3_600_000;

/** Deletes rows by age and size every minute: a bounded number, each batch in its own transaction. */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #running: Promise<void> = Promise.resolve();
  #vacuumedAt = 0;
  #isStopped = false;
  /** Wall clock of the latest run, epoch ms; null before the first. */
  lastRunAt: number | null = null;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#running = this.#running
        .then(async () => {
          await this.run();
        })
        .catch((err: unknown) => {
          this.#options.logger.warn({ err, retryMs: INTERVAL_MS }, 'Retention failed; retrying');
        });
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  /** Waits for the current batch. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  /** @returns how many incidents, sessions and messages were deleted */
  async run(): Promise<number> {
    const { database, limits, logger, now } = this.#options;
    const byAge = limits.days === null ? 0 : await this.#removeOld(now() - limits.days * DAY);
    const bySize = limits.megabytes === null ? 0 : await this.#removeSurplus(limits.megabytes * MEBIBYTE);
    const removed = byAge + bySize;
    if (removed > 0) {
      await removeEmptySums(database);
      logger.info({ byAge, bySize }, 'Retention deleted incidents, sessions and messages');
    }
    await removeOldAudit(database, now());
    this.lastRunAt = now();
    await database.query('update deleted_totals set last_run_at = $1', [this.lastRunAt]);
    await this.#vacuum(removed > 0);
    return removed;
  }

  async #removeOld(before: number): Promise<number> {
    const { database } = this.#options;
    const old = { limit: BATCH_ROWS, before };
    await removeDeploys(database, before);
    return (
      (await this.#inBatches('incidents', () => removeIncidents(database, old))) +
      (await this.#inBatches('sessions', () => removeSessions(database, old))) +
      (await this.#inBatches('messages', () => removeMessages(database, old)))
    );
  }

  /** Deletes the same share of incidents, sessions and messages, the oldest of each. */
  async #removeSurplus(limit: number): Promise<number> {
    const { database } = this.#options;
    const { bytes, incidents, sessions, messages } = await storageSize(database);
    if (bytes <= limit) return 0;
    // Rows differ in size: free a little more than needed.
    const share = (bytes - 0.97 * limit) / bytes;
    let removed = 0;
    for (const [rows, count, remove] of [
      ['incidents', incidents, (surplus: number) => removeIncidents(database, { limit: surplus })],
      ['sessions', sessions, (surplus: number) => removeSessions(database, { limit: surplus })],
      [
        'messages',
        messages,
        (surplus: number) => removeMessages(database, { limit: Math.min(surplus, BATCH_ROWS) }),
      ],
    ] as const) {
      let surplus = Math.ceil(count * share);
      removed += await this.#inBatches(rows, async () => {
        const gone = surplus === 0 ? 0 : await remove(surplus);
        surplus -= gone;
        return gone;
      });
    }
    return removed;
  }

  async #inBatches(
    rows: 'incidents' | 'sessions' | 'messages',
    remove: () => Promise<number>,
  ): Promise<number> {
    let removed = 0;
    for (let batch = 0; batch < MAX_BATCHES && !this.#isStopped; batch += 1) {
      const gone = await remove();
      removed += gone;
      if (gone === 0) break;
    }
    this.#options.metrics.removed.inc({ rows }, removed);
    return removed;
  }

  /** PostgreSQL vacuums automatically, the embedded database does not. */
  async #vacuum(hasDeleted: boolean): Promise<void> {
    const { database, now } = this.#options;
    if (database.kind !== 'pglite' || now() - this.#vacuumedAt < HOUR) return;
    this.#vacuumedAt = now();
    // One table at a time: other queries wait for each statement.
    const tables = await database.query<{ name: string }>(
      `select quote_ident(relname) as name from pg_class
       where relnamespace = current_schema()::regnamespace and relkind = 'r'`,
    );
    for (const { name } of tables)
      await database.query(`${hasDeleted ? 'vacuum analyze' : 'analyze'} ${name}`);
  }
}
