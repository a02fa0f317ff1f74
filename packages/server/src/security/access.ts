import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Me, type Role, roles } from '@loopwatch/contract/api';
import * as z from 'zod';

import { CookieSigner, readCookie, setCookie } from './cookies.ts';
import { anonymousOperator, type User } from './user.ts';

/** Secrets from the environment. Without any, and without an identity provider, no login is needed. */
export interface AccessTokens {
  readonly operator?: string | undefined;
  readonly viewer?: string | undefined;
  /** For agents and other producers. */
  readonly producer?: string | undefined;
}

const cookieName = 'loopwatch_session';
/** How long a login is valid. */
export const LOGIN_MS = 12 * 3_600_000;
const loginSchema = z.object({
  name: z.string(),
  role: z.enum(roles),
  id: z.string(),
  /** The id of the created token that the user logged in with. */
  tokenId: z.string().optional(),
});

type Login = z.infer<typeof loginSchema>;

/** What is stored about logins and tokens. */
export interface StoredAccess {
  /** Whether a login was ended before it expired, by its id. */
  isRevoked(loginId: string): boolean;
  /** The user of a token that an operator created; undefined when it is unknown, revoked or expired. */
  userOfToken(token: string): User | undefined;
  /** Whether such a token is neither revoked nor expired. */
  isValidToken(id: string): boolean;
}

const nothingStored: StoredAccess = {
  isRevoked: () => false,
  userOfToken: () => undefined,
  isValidToken: () => false,
};

/** Identifies users by the token of a request, or by the cookie of a login. */
export class Access {
  readonly methods: Me['methods'];
  readonly signer: CookieSigner;
  readonly #tokens: readonly { readonly role: Role; readonly hash: Buffer }[];
  readonly #stored: StoredAccess;
  readonly #secrets: string;

  /**
   * @param now wall clock, epoch ms
   * @param clientSecret of the identity provider, if there is one
   */
  constructor(
    { operator, viewer, producer }: AccessTokens,
    now: () => number,
    clientSecret?: string,
    stored: StoredAccess = nothingStored,
  ) {
    this.#stored = stored;
    const configured = [
      ['operator', operator],
      ['viewer', viewer],
      ['producer', producer],
    ] as const;
    this.#tokens = configured.flatMap(([role, token]) => (token ? [{ role, hash: sha256(token) }] : []));
    this.methods = [
      ...(clientSecret === undefined ? [] : (['oidc'] as const)),
      ...(this.#tokens.length === 0 ? [] : (['token'] as const)),
    ];
    this.#secrets = JSON.stringify([operator ?? '', viewer ?? '', clientSecret ?? '']);
    this.signer = new CookieSigner(now);
  }

  /** @param key random, the same on all servers of a database; new secrets end all logins nevertheless */
  useKey(key: Buffer): void {
    this.signer.useKey(key, this.#secrets);
  }

  /** Whether a login is needed at all. */
  get isRequired(): boolean {
    return this.methods.length > 0;
  }

  /** Whether logins do not identify a person: tokens are shared by people. */
  get isShared(): boolean {
    return !this.methods.includes('oidc');
  }

  /** The user of a request with these headers; undefined: not logged in. */
  userOf({ authorization, cookie }: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>): User | undefined {
    if (!this.isRequired) return anonymousOperator;
    if (authorization !== undefined) return this.userOfToken(bearerOf(authorization) ?? '');
    const login = this.loginOf(cookie);
    return login && toUser(login);
  }

  /** The login of a `cookie` header; undefined when it is invalid, expired or revoked. */
  loginOf(cookie: string | undefined): Login | undefined {
    const value = readCookie(cookie, cookieName);
    const login = value === undefined ? undefined : this.signer.verify('session', value, loginSchema);
    if (login === undefined || this.#stored.isRevoked(login.id)) return undefined;
    const { tokenId } = login;
    return tokenId === undefined || this.#stored.isValidToken(tokenId) ? login : undefined;
  }

  /** The user of a token, whether it is configured or created. */
  userOfToken(token: string): User | undefined {
    const hash = sha256(token);
    // Every token is compared, each in constant time, so that the duration reveals nothing.
    const [match] = this.#tokens.filter((known) => timingSafeEqual(known.hash, hash));
    return match ? { name: match.role, role: match.role } : this.#stored.userOfToken(token);
  }

  /** A `set-cookie` header that logs a user in. */
  loginCookie(user: User, secure: boolean): string {
    const login: Login = { ...toUser(user), id: randomUUID() };
    const signed = this.signer.sign('session', login, LOGIN_MS);
    return setCookie(cookieName, signed, { maxAgeMs: LOGIN_MS, secure });
  }

  /** A `set-cookie` header that logs out. */
  clearedCookie(secure: boolean): string {
    return setCookie(cookieName, '', { maxAgeMs: 0, secure });
  }
}

function toUser({ name, role, tokenId }: Omit<Login, 'id'>): User {
  return { name, role, ...(tokenId !== undefined && { tokenId }) };
}

/** The token of an `authorization` header. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
