import { createHash, randomUUID, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Me, type Role, roles } from '@loopwatch/contract/api';
import { z } from 'zod';
import { CookieSigner } from './cookie-signer.ts';
import { cookieIn, setCookie } from './cookies.ts';
import { anonymousOperator, type User } from './user.ts';

/** Secrets from the environment; with none, and no provider of logins, everybody may do everything. */
export interface AccessTokens {
  readonly operator?: string | undefined;
  readonly viewer?: string | undefined;
}

const cookieName = 'loopwatch_session';
/** How long a login lasts. */
export const sessionMs = 12 * 3_600_000;
const sessionSchema = z.object({ name: z.string(), role: z.enum(roles), id: z.string() });

type Session = z.infer<typeof sessionSchema>;

/** Who may do what: by a token that a request carries, or by the cookie that a login has left. */
export class Access {
  readonly methods: Me['methods'];
  readonly seals: CookieSigner;
  private readonly tokens: readonly { readonly role: Role; readonly hash: Buffer }[];
  private readonly isEnded: (id: string) => boolean;

  /**
   * @param now wall clock, epoch ms
   * @param clientSecret of the provider of logins, where there is one
   * @param isEnded whether a login was ended before its time
   */
  constructor(
    { operator, viewer }: AccessTokens,
    now: () => number,
    clientSecret?: string,
    isEnded: (id: string) => boolean = () => false,
  ) {
    this.isEnded = isEnded;
    const given = [
      ['operator', operator],
      ['viewer', viewer],
    ] as const;
    this.tokens = given.flatMap(([role, token]) => (token ? [{ role, hash: sha256(token) }] : []));
    this.methods = [
      ...(clientSecret === undefined ? [] : (['oidc'] as const)),
      ...(this.tokens.length === 0 ? [] : (['token'] as const)),
    ];
    // Of the secrets, so that all servers know each other's cookies, and a new one ends all logins.
    this.seals = new CookieSigner(JSON.stringify([operator ?? '', viewer ?? '', clientSecret ?? '']), now);
  }

  /** Whether one has to log in at all. */
  get required(): boolean {
    return this.methods.length > 0;
  }

  /** Whether no login names one person: there are tokens alone, which people share, or no logins at all. */
  get shared(): boolean {
    return !this.methods.includes('oidc');
  }

  /** Who sends a request with these headers; undefined: an unknown user. */
  user({ authorization, cookie }: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>): User | undefined {
    if (!this.required) return anonymousOperator;
    if (authorization !== undefined) return this.byToken(bearerOf(authorization) ?? '');
    const session = this.session(cookie);
    return session && { name: session.name, role: session.role };
  }

  /** The login that a cookie is of, as long as it counts. */
  session(cookie: string | undefined): Session | undefined {
    const value = cookieIn(cookie, cookieName);
    const session = value === undefined ? undefined : this.seals.open('session', value, sessionSchema);
    return session === undefined || this.isEnded(session.id) ? undefined : session;
  }

  byToken(token: string): User | undefined {
    const hash = sha256(token);
    // All are compared, each in constant time: how long it takes tells nothing.
    const found = this.tokens.filter((known) => timingSafeEqual(known.hash, hash));
    return found[0] && { name: found[0].role, role: found[0].role };
  }

  /** A `set-cookie` header that logs a user in. */
  login({ name, role }: User, secure: boolean): string {
    const sealed = this.seals.seal('session', { name, role, id: randomUUID() }, sessionMs);
    return setCookie(cookieName, sealed, { maxAgeMs: sessionMs, secure });
  }

  /** A `set-cookie` header that logs out. */
  logout(secure: boolean): string {
    return setCookie(cookieName, '', { maxAgeMs: 0, secure });
  }
}

/** The token that a request carries. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
