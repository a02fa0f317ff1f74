import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  type ApiToken,
  type ApiTokenPost,
  type CreatedApiToken,
  TOKEN_PREFIX,
} from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { SharedRows } from './shared-rows.ts';
import type { User } from './user.ts';

const channel = 'loopwatch_tokens';
const BYTES = 32;
/** The last use of a token is stored at most once in this time. */
const USE_MS = 60_000;

const columns = `id, name, role, created_at as "createdAt", created_by as "createdBy", expires_at as "expiresAt",
  last_used_at as "lastUsedAt"`;

interface KnownToken extends Pick<ApiToken, 'id' | 'name' | 'role' | 'expiresAt'> {
  /** When a use was last stored by this server. */
  notedAt: number;
}

export interface ApiTokensOptions {
  readonly database: Database;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/**
 * Tokens that operators created, by the hash of the token.
 */
export class ApiTokens {
  readonly #options: ApiTokensOptions;
  readonly #listeners: (() => void)[] = [];
  #byHash: ReadonlyMap<string, KnownToken> = new Map();
  #byId: ReadonlyMap<string, KnownToken> = new Map();
  readonly #rows: SharedRows;
  #noting: Promise<unknown> = Promise.resolve();

  constructor(options: ApiTokensOptions) {
    this.#options = options;
    this.#rows = new SharedRows({ ...options, channel, name: 'Tokens', read: () => this.#read() });
  }

  start(): Promise<void> {
    return this.#rows.start();
  }

  async stop(): Promise<void> {
    await this.#rows.stop();
    await this.#noting;
  }

  /** @param listener called when tokens were revoked, here or by another server */
  onRevoked(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The user of a token; undefined when it is unknown, revoked or expired. */
  userOf(token: string): User | undefined {
    // The duration of a look-up by the hash reveals nothing of the token.
    const known = this.#byHash.get(sha256(token));
    return known !== undefined && this.#isCurrent(known)
      ? { name: known.name, role: known.role, tokenId: known.id }
      : undefined;
  }

  /** Whether a token is neither revoked nor expired. */
  isValid(id: string): boolean {
    const known = this.#byId.get(id);
    return known !== undefined && this.#isCurrent(known);
  }

  /** Stores that a token was used just now, without delaying its request. */
  noteUse(id: string): void {
    const { database, logger, now } = this.#options;
    const known = this.#byId.get(id);
    const at = now();
    if (known === undefined || at - known.notedAt < USE_MS) return;
    known.notedAt = at;
    // Other servers note uses as well.
    const query = `update api_tokens set last_used_at = $2::float8
      where id = $1 and (last_used_at is null or last_used_at <= $2::float8 - ${String(USE_MS)})`;
    this.#noting = Promise.all([
      this.#noting,
      database.query(query, [id, at]).catch((err: unknown) => {
        logger.warn({ err, token: known.name }, 'The last use of a token was not stored');
      }),
    ]);
  }

  list(): Promise<ApiToken[]> {
    return this.#options.database.query<ApiToken>(
      `select ${columns} from api_tokens order by created_at desc, id`,
    );
  }

  /** @returns undefined when another token has the name */
  async create(
    { name, role, expiresAt = null }: ApiTokenPost,
    createdBy: string,
  ): Promise<CreatedApiToken | undefined> {
    const token = TOKEN_PREFIX + randomBytes(BYTES).toString('hex');
    const created = await this.#change<ApiToken>(
      `insert into api_tokens (id, name, role, hash, created_at, created_by, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict (name) do nothing returning ${columns}`,
      [randomUUID(), name, role, sha256(token), this.#options.now(), createdBy, expiresAt],
    );
    return created && { ...created, token };
  }

  /** @returns the token that was revoked; undefined when there is none with this id */
  revoke(id: string): Promise<ApiToken | undefined> {
    return this.#change<ApiToken>(`delete from api_tokens where id = $1 returning ${columns}`, [id]);
  }

  /** Tells all servers of a change, this one before the promise resolves. @returns the changed row */
  async #change<Row extends object>(sql: string, parameters: readonly unknown[]): Promise<Row | undefined> {
    const [row] = await this.#options.database.transaction(async (tx) => {
      const rows = await tx.query<Row>(sql, parameters);
      if (rows.length > 0) await tx.query(`select pg_notify('${channel}', '')`);
      return rows;
    });
    if (row !== undefined) await this.#rows.load();
    return row;
  }

  #isCurrent({ expiresAt }: KnownToken): boolean {
    return expiresAt === null || expiresAt > this.#options.now();
  }

  async #read(): Promise<void> {
    const rows = await this.#options.database.query<Omit<KnownToken, 'notedAt'> & { hash: string }>(
      'select id, name, role, hash, expires_at as "expiresAt" from api_tokens',
    );
    const known = rows.map(({ hash, ...token }) => {
      const notedAt = this.#byId.get(token.id)?.notedAt ?? -Infinity;
      return [hash, { ...token, notedAt }] as const;
    });
    const before = this.#byId;
    this.#byHash = new Map(known);
    this.#byId = new Map(known.map(([, token]) => [token.id, token]));
    if ([...before.keys()].some((id) => !this.#byId.has(id)))
      for (const listener of this.#listeners) listener();
  }
}

function sha256(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
