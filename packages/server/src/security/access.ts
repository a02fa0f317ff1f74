import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Role, roles } from '@loopwatch/contract/api';
import { z } from 'zod';
import { anybody, type User } from './user.ts';

/** Secrets from the environment; with none, everybody may do everything. */
export interface AccessTokens {
  readonly operator?: string | undefined;
  readonly viewer?: string | undefined;
}

const cookieName = 'loopwatch_session';
const sessionMs = 12 * 3_600_000;
const sessionSchema = z.object({ name: z.string(), role: z.enum(roles), until: z.number() });

/** Who may do what: by a token that a request carries, or by the cookie that a login has left. */
export class Access {
  private readonly tokens: readonly { readonly role: Role; readonly hash: Buffer }[];
  private readonly key: Buffer;
  private readonly now: () => number;

  /** @param now wall clock, epoch ms */
  constructor({ operator, viewer }: AccessTokens, now: () => number) {
    const given = [
      ['operator', operator],
      ['viewer', viewer],
    ] as const;
    this.tokens = given.flatMap(([role, token]) => (token ? [{ role, hash: sha256(token) }] : []));
    // Of the tokens, so that all servers know each other's cookies, and a new token ends all logins.
    const secret = JSON.stringify([operator ?? '', viewer ?? '']);
    this.key = Buffer.from(hkdfSync('sha256', secret, '', 'loopwatch session', 32));
    this.now = now;
  }

  /** Whether one has to log in at all. */
  get required(): boolean {
    return this.tokens.length > 0;
  }

  /** Who sends a request with these headers; undefined: nobody known. */
  user({ authorization, cookie }: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>): User | undefined {
    if (!this.required) return anybody;
    const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
    if (authorization !== undefined) return bearer === undefined ? undefined : this.byToken(bearer);
    const value = cookieIn(cookie ?? '');
    return value === undefined ? undefined : this.bySession(value);
  }

  byToken(token: string): User | undefined {
    const hash = sha256(token);
    // All are compared, each in constant time: how long it takes tells nothing.
    const found = this.tokens.filter((known) => timingSafeEqual(known.hash, hash));
    return found[0] && { name: found[0].role, role: found[0].role };
  }

  /** A `set-cookie` header that logs a user in. */
  login({ name, role }: User, secure: boolean): string {
    const session = Buffer.from(JSON.stringify({ name, role, until: this.now() + sessionMs })).toString(
      'base64url',
    );
    return `${cookieName}=${session}.${this.sign(session)}; ${attributes(secure)}; Max-Age=${String(sessionMs / 1000)}`;
  }

  /** A `set-cookie` header that logs out. */
  logout(secure: boolean): string {
    return `${cookieName}=; ${attributes(secure)}; Max-Age=0`;
  }

  private bySession(value: string): User | undefined {
    const [session = '', signature = ''] = value.split('.');
    const expected = Buffer.from(this.sign(session));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const parsed = sessionSchema.safeParse(JSON.parse(Buffer.from(session, 'base64url').toString('utf8')));
    return parsed.success && parsed.data.until > this.now() ? parsed.data : undefined;
  }

  private sign(session: string): string {
    return createHmac('sha256', this.key).update(session).digest('base64url');
  }
}

/** Lax: a link in a chat opens the page, a form or a script of another site sends no cookie. */
function attributes(secure: boolean): string {
  return `Path=/; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

function cookieIn(header: string): string | undefined {
  const prefix = `${cookieName}=`;
  const found = header
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return found?.slice(prefix.length);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
