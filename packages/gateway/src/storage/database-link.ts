import { messageOf } from '@loopwatch/contract';
import { backoff, delay, within } from '@loopwatch/platform';
import { type Database, DatabaseUnavailable } from '@loopwatch/storage';
import type { Logger } from 'pino';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;

/** What the database is used for: a label of metrics. */
export type StorageWork = 'open' | 'load' | 'save' | 'hand_over' | 'retention';

export interface DatabaseLinkOptions {
  readonly open: () => Promise<Database>;
  /** What is to be done before it is used, at first and each time again; where that rejects, it cannot be used. */
  readonly prepare: (database: Database) => Promise<void>;
  readonly onUp: () => void;
  readonly onFailure: (work: StorageWork) => void;
  readonly logger: Logger;
}

/** The way to the database: after a failure requests skip it until it can be used again. */
export class DatabaseLink {
  private readonly options: DatabaseLinkOptions;
  private readonly stopping = new AbortController();
  private database: Database | undefined;
  private up = false;
  /** Why it cannot be used, where that has been said. */
  private trouble: string | undefined;
  private probing: Promise<void> | undefined;

  constructor(options: DatabaseLinkOptions) {
    this.options = options;
  }

  get isUp(): boolean {
    return this.up;
  }

  get health(): { readonly ok: boolean; readonly detail: string } {
    if (this.up) return { ok: true, detail: this.database?.kind ?? '' };
    const why = this.trouble ?? 'it has not been opened yet';
    return { ok: false, detail: `the database cannot be used: ${why}; sessions are in memory meanwhile` };
  }

  /** Tries once; where that fails, it is tried again in the background. */
  async start(): Promise<void> {
    if (!(await this.attempt())) this.probing ??= this.probe();
  }

  /**
   * @param withinMs how long to wait for it
   * @throws Error where the database cannot be used, or the work fails
   */
  async use<T>(work: StorageWork, run: (database: Database) => Promise<T>, withinMs = 60_000): Promise<T> {
    if (!this.up || this.database === undefined) throw new DatabaseUnavailable(this.health.detail);
    try {
      return await within(run(this.database), withinMs, () => noAnswer(withinMs));
    } catch (error) {
      this.options.onFailure(work);
      // Whatever is wrong with one statement says nothing of the next.
      if (!isAway(error)) throw error;
      this.noteAway(work, error);
      this.probing ??= this.probe();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.up = false;
    await this.probing;
    const { database } = this;
    this.database = undefined;
    await database?.close();
  }

  private noteAway(work: StorageWork, error: unknown): void {
    this.up = false;
    const message = messageOf(error);
    if (this.trouble === undefined)
      this.options.logger.error(
        { work, error: message },
        'The database cannot be used: sessions and messages are kept in memory meanwhile, within bounds',
      );
    this.trouble = message;
  }

  private async probe(): Promise<void> {
    const { signal } = this.stopping;
    for (let attempt = 0; ; attempt += 1) {
      await delay(backoff(attempt, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), signal);
      if (signal.aborted || (await this.attempt())) break;
    }
    this.probing = undefined;
  }

  /** @returns whether it can be used now */
  private async attempt(): Promise<boolean> {
    try {
      this.database ??= await this.options.open();
      await this.database.query('select 1');
      await this.options.prepare(this.database);
    } catch (error) {
      this.options.onFailure('open');
      this.noteAway('open', error);
      return false;
    }
    if (this.stopping.signal.aborted) return true;
    this.up = true;
    if (this.trouble !== undefined) this.options.logger.info('The database can be used again');
    this.trouble = undefined;
    this.options.onUp();
    return true;
  }
}

/** Whether it is the database that cannot be used, and not one statement that it refuses. */
export function isAway(error: unknown): boolean {
  return error instanceof DatabaseUnavailable;
}

function noAnswer(ms: number): DatabaseUnavailable {
  return new DatabaseUnavailable(`no answer within ${String(ms)} ms`);
}
