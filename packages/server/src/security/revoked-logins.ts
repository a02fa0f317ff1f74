import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { SharedRows } from './shared-rows.ts';

const channel = 'loopwatch_logouts';

export interface RevokedLoginsOptions {
  readonly database: Database;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/**
 * Logins that were ended before they expired. A cookie is valid by its signature alone; this list revokes it on every server
 * of a database, and across restarts.
 */
export class RevokedLogins {
  readonly #options: RevokedLoginsOptions;
  readonly #rows: SharedRows;
  readonly #listeners: (() => void)[] = [];
  /** When the login would have expired, by its id. */
  readonly #expiry = new Map<string, number>();

  constructor(options: RevokedLoginsOptions) {
    this.#options = options;
    this.#rows = new SharedRows({ ...options, channel, name: 'Revoked logins', read: () => this.#read() });
  }

  start(): Promise<void> {
    return this.#rows.start();
  }

  stop(): Promise<void> {
    return this.#rows.stop();
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
    const { database, now } = this.#options;
    for (const [other, at] of this.#expiry) if (at <= now()) this.#expiry.delete(other);
    this.#add([{ id, expiresAt }]);
    await database.query('delete from revoked_logins where expires_at <= $1', [now()]);
    await database.query(
      'insert into revoked_logins (id, expires_at) values ($1, $2) on conflict (id) do nothing',
      [id, expiresAt],
    );
    await database.query(`select pg_notify('${channel}', '')`);
  }

  async #read(): Promise<void> {
    const { database, now } = this.#options;
    this.#add(
      await database.query<Revoked>(
        'select id, expires_at as "expiresAt" from revoked_logins where expires_at > $1',
        [now()],
      ),
    );
  }

  #add(revoked: readonly Revoked[]): void {
    const isNew = revoked.some(({ id }) => !this.#expiry.has(id));
    for (const { id, expiresAt } of revoked) this.#expiry.set(id, expiresAt);
    if (isNew) for (const listener of this.#listeners) listener();
  }
}

interface Revoked {
  readonly id: string;
  readonly expiresAt: number;
}
