import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';

const RETRY_MS = 1_000;

export interface SharedRowsOptions {
  readonly database: Pick<Database, 'listen'>;
  /** Notified when a server has changed the rows. */
  readonly channel: string;
  readonly logger: Logger;
  /** Names the rows at the beginning of a sentence in the log. */
  readonly name: string;
  /** Loads the rows into memory. */
  readonly read: () => Promise<void>;
}

/**
 * Rows that every server of a database keeps in memory, so that a request waits for no query. A change on one server is loaded
 * by all; until that succeeds, it is retried.
 */
export class SharedRows {
  readonly #options: SharedRowsOptions;
  /** One after the other, so that an older answer never replaces a newer one. */
  #loading: Promise<void> = Promise.resolve();
  #retry: ReturnType<typeof setTimeout> | undefined;
  #unlisten: () => Promise<void> = () => Promise.resolve();

  constructor(options: SharedRowsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { database, channel } = this.#options;
    this.#unlisten = await database.listen(channel, () => this.#reload());
    await this.load();
  }

  async stop(): Promise<void> {
    await this.#unlisten();
    await this.#loading;
    clearTimeout(this.#retry);
  }

  /** Call after a change on this server. */
  load(): Promise<void> {
    const loaded = this.#loading.then(() => this.#options.read());
    this.#loading = loaded.catch(() => undefined);
    return loaded;
  }

  #reload(): void {
    this.load().catch((err: unknown) => {
      const { logger, name } = this.#options;
      logger.warn({ err, retryMs: RETRY_MS }, `${name} could not be loaded; retrying`);
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#reload(), RETRY_MS).unref();
    });
  }
}
