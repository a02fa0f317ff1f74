import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type * as z from 'zod';

export interface CookieOptions {
  readonly path?: string;
  readonly maxAgeMs: number;
  readonly secure: boolean;
}

/**
 * A `set-cookie` header. SameSite=Lax: a link in a chat opens the page logged in, a form or script of another site sends no
 * cookie.
 */
export function setCookie(
  name: string,
  value: string,
  { path = '/', maxAgeMs, secure }: CookieOptions,
): string {
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return `${name}=${value}; ${attributes}; Max-Age=${String(Math.round(maxAgeMs / 1000))}`;
}

/** The value of a cookie in a `cookie` header. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  const prefix = `${name}=`;
  const cookie = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return cookie?.slice(prefix.length);
}

/** Signs values that browsers store; each is valid for one purpose and a limited time. */
export class CookieSigner {
  /** Until a stored key is known, cookies of this process alone are valid. */
  #key: Buffer = randomBytes(32);
  readonly #now: () => number;

  /** @param now wall clock, epoch ms */
  constructor(now: () => number) {
    this.#now = now;
  }

  /**
   * @param key random: a cookie and its signature do not let anyone try tokens offline
   * @param context a change of it ends the validity of all cookies
   */
  useKey(key: Buffer, context: string): void {
    this.#key = Buffer.from(
      hkdfSync('sha256', key, createHash('sha256').update(context).digest(), 'loopwatch session', 32),
    );
  }

  sign(purpose: string, content: object, forMs: number): string {
    const text = Buffer.from(JSON.stringify({ content, until: this.#now() + forMs })).toString('base64url');
    return `${text}.${this.#signature(purpose, text)}`;
  }

  /** @returns undefined when the signature, the purpose or the content is wrong, or the value has expired */
  verify<Schema extends z.ZodType>(
    purpose: string,
    signed: string,
    schema: Schema,
  ): z.infer<Schema> | undefined {
    const [text = '', signature = ''] = signed.split('.');
    const expected = Buffer.from(this.#signature(purpose, text));
    const actual = Buffer.from(signature);
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
    const { content, until } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as {
      content: unknown;
      until: number;
    };
    const parsed = schema.safeParse(content);
    return parsed.success && until > this.#now() ? parsed.data : undefined;
  }

  #signature(purpose: string, text: string): string {
    return createHmac('sha256', this.#key).update(`${purpose}.${text}`).digest('base64url');
  }
}
