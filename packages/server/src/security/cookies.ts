export interface CookieOptions {
  readonly path?: string;
  readonly maxAgeMs: number;
  readonly secure: boolean;
}

/** A `set-cookie` header. Lax: a link in a chat opens the page, a form or a script of another site sends no cookie. */
export function setCookie(
  name: string,
  value: string,
  { path = '/', maxAgeMs, secure }: CookieOptions,
): string {
  const attributes = `Path=${path}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
  return `${name}=${value}; ${attributes}; Max-Age=${String(Math.round(maxAgeMs / 1000))}`;
}

/** A cookie's value in a `cookie` header. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const prefix = `${name}=`;
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(prefix));
  return found?.slice(prefix.length);
}
