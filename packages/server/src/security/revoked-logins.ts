import type { Database } from '@loopwatch/storage';

const channel = 'loopwatch_logouts';

/**
 * Logins that have ended before their time. A cookie says by itself whose login it is; this list says which of them count
 * no more, on every server of a database and after a restart.
 */
export class RevokedLogins {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #onEnded: () => void;
  /** Until when the cookie would have counted. */
  readonly #until = new Map<string, number>();
  #unlisten: () => Promise<void> = () => Promise.resolve();

  /** @param onEnded called when some have ended, here or at another server */
  constructor(database: Database, now: () => number, onEnded: () => void) {
    this.#database = database;
    this.#now = now;
    this.#onEnded = onEnded;
  }

  async start(): Promise<void> {
    this.#unlisten = await this.#database.listen(channel, () => {
      void this.#load().then(this.#onEnded, () => undefined);
    });
    await this.#load();
  }

  stop(): Promise<void> {
    return this.#unlisten();
  }

  has(id: string): boolean {
    return this.#until.has(id);
  }

  /** @throws DatabaseUnavailable; it has ended at this server all the same */
  async end(id: string, until: number): Promise<void> {
    for (const [other, over] of this.#until) if (over <= this.#now()) this.#until.delete(other);
    this.#until.set(id, until);
    this.#onEnded();
    await this.#database.query('delete from ended_sessions where until <= $1', [this.#now()]);
    await this.#database.query(
      'insert into ended_sessions (id, until) values ($1, $2) on conflict (id) do nothing',
      [id, until],
    );
    await this.#database.query(`select pg_notify('${channel}', '')`);
  }

  async #load(): Promise<void> {
    const rows = await this.#database.query<{ id: string; until: number }>(
      'select id, until from ended_sessions where until > $1',
      [this.#now()],
    );
    for (const { id, until } of rows) this.#until.set(id, until);
  }
}
