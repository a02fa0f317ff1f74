import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Me, type Role, roles } from '@loopwatch/contract/api';
import { z } from 'zod';

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
const loginSchema = z.object({ name: z.string(), role: z.enum(roles), id: z.string() });

type Login = z.infer<typeof loginSchema>;

/** Identifies users by the token of a request, or by the cookie of a login. */
export class Access {
  readonly methods: Me['methods'];
  readonly signer: CookieSigner;
  readonly #tokens: readonly { readonly role: Role; readonly hash: Buffer }[];
  readonly #isRevoked: (id: string) => boolean;
  readonly #secrets: string;

  /**
   * @param now wall clock, epoch ms
   * @param clientSecret of the identity provider, if there is one
   * @param isRevoked whether a login was ended before it expired, by its id
   */
  constructor(
    { operator, viewer, producer }: AccessTokens,
    now: () => number,
    clientSecret?: string,
    isRevoked: (id: string) => boolean = () => false,
  ) {
    this.#isRevoked = isRevoked;
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
    return login && { name: login.name, role: login.role };
  }

  /** The login of a `cookie` header; undefined when it is invalid, expired or revoked. */
  loginOf(cookie: string | undefined): Login | undefined {
    const value = readCookie(cookie, cookieName);
    const login = value === undefined ? undefined : this.signer.verify('session', value, loginSchema);
    return login === undefined || this.#isRevoked(login.id) ? undefined : login;
  }

  userOfToken(token: string): User | undefined {
    const hash = sha256(token);
    // Every token is compared, each in constant time, so that the duration reveals nothing.
    const [match] = this.#tokens.filter((known) => timingSafeEqual(known.hash, hash));
    return match && { name: match.role, role: match.role };
  }

  /** A `set-cookie` header that logs a user in. */
  loginCookie({ name, role }: User, secure: boolean): string {
    const signed = this.signer.sign('session', { name, role, id: randomUUID() }, LOGIN_MS);
    return setCookie(cookieName, signed, { maxAgeMs: LOGIN_MS, secure });
  }

  /** A `set-cookie` header that logs out. */
  clearedCookie(secure: boolean): string {
    return setCookie(cookieName, '', { maxAgeMs: 0, secure });
  }
}

/** The token of an `authorization` header. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
