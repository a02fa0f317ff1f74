import type { Database } from '@loopwatch/storage';

const channel = 'loopwatch_logouts';

/**
 * Logins that were ended before they expired. A cookie is valid by its signature alone; this list revokes it on every server
 * of a database, and across restarts.
 */
export class RevokedLogins {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #listeners: (() => void)[] = [];
  /** When the login would have expired, by its id. */
  readonly #expiry = new Map<string, number>();
  #unlisten: () => Promise<void> = () => Promise.resolve();

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  async start(): Promise<void> {
    this.#unlisten = await this.#database.listen(channel, () => {
      void this.#load().then(
        () => this.#notify(),
        () => undefined,
      );
    });
    await this.#load();
  }

  stop(): Promise<void> {
    return this.#unlisten();
  }

  /** @param listener called when logins were revoked, here or by another server */
  onRevoked(listener: () => void): void {
    this.#listeners.push(listener);
  }

  has(id: string): boolean {
    return this.#expiry.has(id);
  }

  /** @throws DatabaseUnavailable; on this server the login is revoked anyway */
  async revoke(id: string, expiresAt: number): Promise<void> {
    for (const [other, at] of this.#expiry) if (at <= this.#now()) this.#expiry.delete(other);
    this.#expiry.set(id, expiresAt);
    this.#notify();
    await this.#database.query('delete from revoked_logins where expires_at <= $1', [this.#now()]);
    await this.#database.query(
      'insert into revoked_logins (id, expires_at) values ($1, $2) on conflict (id) do nothing',
      [id, expiresAt],
    );
    await this.#database.query(`select pg_notify('${channel}', '')`);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async #load(): Promise<void> {
    const rows = await this.#database.query<{ id: string; expires_at: number }>(
      'select id, expires_at from revoked_logins where expires_at > $1',
      [this.#now()],
    );
    for (const { id, expires_at: expiry } of rows) this.#expiry.set(id, expiry);
  }
}
