import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isLoopback } from '@loopwatch/platform';
import type { Database } from '@loopwatch/storage';
import type { Logger } from 'pino';
import type { Counter } from 'prom-client';
import { Access, type AccessTokens, bearerOf } from './access.ts';
import { ApiTokens } from './api-tokens.ts';
import { Hosts, type WebOptions } from './hosts.ts';
import { Oidc, type OidcOptions } from './oidc.ts';
import { RevokedLogins } from './revoked-logins.ts';
import { TokenVerifier } from './token-verifier.ts';
import type { User } from './user.ts';

export interface AuthOptions extends WebOptions {
  readonly database: Database;
  readonly tokens?: AccessTokens | undefined;
  readonly oidc?: OidcOptions | undefined;
  readonly refusedTokens: Counter<'result'>;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Who a client is, for HTTP requests and sockets alike. */
export class Auth {
  readonly access: Access;
  readonly hosts: Hosts;
  readonly verifier: TokenVerifier;
  readonly revoked: RevokedLogins;
  readonly apiTokens: ApiTokens;
  readonly oidc: Oidc | undefined;
  readonly logger: Logger;
  readonly #database: Database;
  /** Whether other machines can reach the server, and need no login. */
  readonly isExposed: boolean;

  constructor({ database, tokens = {}, oidc, refusedTokens, logger, now, ...web }: AuthOptions) {
    this.#database = database;
    this.logger = logger;
    this.oidc = oidc && new Oidc(oidc);
    this.hosts = new Hosts(web);
    this.revoked = new RevokedLogins({ database, logger, now });
    this.apiTokens = new ApiTokens({ database, logger, now });
    this.access = new Access(tokens, now, oidc?.clientSecret, {
      isRevoked: (id) => this.revoked.has(id),
      userOfToken: (token) => this.apiTokens.userOf(token),
      isValidToken: (id) => this.apiTokens.isValid(id),
    });
    this.verifier = new TokenVerifier(this.access, logger, refusedTokens);
    this.isExposed = !this.access.isRequired && !isLoopback(web.host);
  }

  async start(): Promise<void> {
    this.access.useKey(await storedKey(this.#database));
    await this.revoked.start();
    await this.apiTokens.start();
  }

  async stop(): Promise<void> {
    this.verifier.stop();
    await this.revoked.stop();
    await this.apiTokens.stop();
  }

  /**
   * The user of a request; undefined: not logged in.
   *
   * @throws HttpProblem 429 when its address has sent too many wrong tokens
   */
  async userOf(request: IncomingMessage): Promise<User | undefined> {
    return this.userOfHeaders(request.headers, () => this.hosts.addressOf(request));
  }

  /** The same, of a request that is not HTTP/1. @param address of the client */
  async userOfHeaders(
    headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>,
    address: () => string,
  ): Promise<User | undefined> {
    const bearer = this.access.isRequired ? bearerOf(headers.authorization) : undefined;
    const user =
      bearer === undefined ? this.access.userOf(headers) : await this.verifier.verify(bearer, address());
    this.#noteUse(user);
    return user;
  }

  /** Whether the login does not identify the user: a token that people share. */
  isShared(user: User | undefined): boolean {
    return this.access.isShared && user?.tokenId === undefined;
  }

  /** @param listener called when logins or tokens were revoked, here or by another server */
  onRevoked(listener: () => void): void {
    this.revoked.onRevoked(listener);
    this.apiTokens.onRevoked(listener);
  }

  /** Whether a socket may be opened: from the dashboard's own origin, by a user. */
  async mayConnect(request: IncomingMessage): Promise<boolean> {
    if (!this.hosts.isSameOrigin(request) || !this.hosts.isKnownHost(request)) return false;
    const user = await this.userOf(request);
    return user !== undefined && user.role !== 'producer';
  }

  /** Whether an open connection may stay open: its login or token may have expired or been revoked. */
  mayStay({ headers }: IncomingMessage): boolean {
    const user = this.access.userOf(headers);
    this.#noteUse(user);
    return user !== undefined;
  }

  #noteUse(user: User | undefined): void {
    if (user?.tokenId !== undefined) this.apiTokens.noteUse(user.tokenId);
  }
}

/** The key of all servers of a database; the first one that starts draws it. */
async function storedKey(database: Database): Promise<Buffer> {
  await database.query('insert into cookie_key (key) values ($1) on conflict do nothing', [
    randomBytes(32).toString('hex'),
  ]);
  const [row] = await database.query<{ key: string }>('select key from cookie_key');
  if (row === undefined) throw new Error('The key of the cookies could not be stored');
  return Buffer.from(row.key, 'hex');
}
