import { backoff, messageOf } from '@loopwatch/contract';
import { delay, within } from '@loopwatch/platform';
import { type Database, DatabaseUnavailable } from '@loopwatch/storage';
import type { Logger } from 'pino';

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/** Operations on the database: a metric label. */
export type StorageWork = 'open' | 'load' | 'save' | 'retention' | 'erase';

export interface DatabaseLinkOptions {
  readonly open: () => Promise<Database>;
  readonly onUp: () => void;
  readonly onFailure: (work: StorageWork) => void;
  readonly logger: Logger;
}

/** Access to the database. After a failure, requests skip it until it is available again. */
export class DatabaseLink {
  readonly #options: DatabaseLinkOptions;
  readonly #stopping = new AbortController();
  #database: Database | undefined;
  #isUp = false;
  /** Reason of the outage, once logged. */
  #outage: string | undefined;
  #probing: Promise<void> | undefined;

  constructor(options: DatabaseLinkOptions) {
    this.#options = options;
  }

  get isUp(): boolean {
    return this.#isUp;
  }

  get health(): { readonly ok: boolean; readonly detail: string } {
    if (this.#isUp) return { ok: true, detail: this.#database?.kind ?? '' };
    const reason = this.#outage ?? 'not opened yet';
    return { ok: false, detail: `database unavailable: ${reason}; messages are buffered in memory` };
  }

  /** Connects; if that fails, retries in the background. */
  async start(): Promise<void> {
    if (!(await this.#attempt())) this.#probing ??= this.#probe();
  }

  /**
   * @throws DatabaseUnavailable, or the error of the operation
   */
  async use<T>(work: StorageWork, run: (database: Database) => Promise<T>, timeoutMs = 60_000): Promise<T> {
    if (!this.#isUp || this.#database === undefined) throw new DatabaseUnavailable(this.health.detail);
    try {
      return await within(run(this.#database), timeoutMs, () => timedOut(timeoutMs));
    } catch (error) {
      this.#options.onFailure(work);
      // An error of one statement says nothing about the next.
      if (!isUnavailable(error)) throw error;
      this.#noteOutage(work, error);
      this.#probing ??= this.#probe();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#isUp = false;
    await this.#probing;
    const database = this.#database;
    this.#database = undefined;
    await database?.close();
  }

  #noteOutage(work: StorageWork, error: unknown): void {
    this.#isUp = false;
    const message = messageOf(error);
    if (this.#outage === undefined)
      this.#options.logger.error(
        { work, error: message },
        'Database unavailable; buffering messages in memory',
      );
    this.#outage = message;
  }

  async #probe(): Promise<void> {
    const { signal } = this.#stopping;
    for (let attempt = 0; ; attempt += 1) {
      await delay(backoff(attempt, MIN_RETRY_MS, MAX_RETRY_MS), signal);
      if (signal.aborted || (await this.#attempt())) break;
    }
    this.#probing = undefined;
  }

  /** @returns whether the database is available */
  async #attempt(): Promise<boolean> {
    try {
      this.#database ??= await this.#options.open();
      await this.#database.query('select 1');
    } catch (error) {
      this.#options.onFailure('open');
      this.#noteOutage('open', error);
      return false;
    }
    if (this.#stopping.signal.aborted) return true;
    this.#isUp = true;
    if (this.#outage !== undefined) this.#options.logger.info('Database available again');
    this.#outage = undefined;
    this.#options.onUp();
    return true;
  }
}

/** Whether the database is unavailable, as opposed to a failed statement. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof DatabaseUnavailable;
}

function timedOut(ms: number): DatabaseUnavailable {
  return new DatabaseUnavailable(`no response within ${String(ms)} ms`);
}
