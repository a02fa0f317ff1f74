import type { Request } from 'express';
import type { Logger } from 'pino';
import { sessionMs } from './access.ts';
import { cookieIn, setCookie } from './cookies.ts';
import type { Hosts } from './hosts.ts';
import type { Oidc } from './oidc.ts';

/** Sent along with a logout, and with nothing else. */
const path = '/api/v1/auth/logout';
const idTokenCookie = 'loopwatch_id_token';
/** Browsers refuse cookies of more than 4096 bytes, name and attributes included. */
const longest = 3_800;
/** Says that the provider was logged in by, with a token too long to be kept. */
const tooLong = '-';

/** A `set-cookie` header with what the provider wants to see again when the login ends. */
export function idTokenCookieHeader(idToken: string, secure: boolean): string {
  const value = idToken.length > longest ? tooLong : idToken;
  return setCookie(idTokenCookie, value, { path, maxAgeMs: sessionMs, secure });
}

/** The same, to forget it. */
export function clearIdTokenCookieHeader(secure: boolean): string {
  return setCookie(idTokenCookie, '', { path, maxAgeMs: 0, secure });
}

/** Where to go on to log out at the provider, for who has logged in there; a logout here never fails for its sake. */
export async function logOutAtProvider(
  request: Request,
  oidc: Oidc | undefined,
  hosts: Hosts,
  logger: Logger,
): Promise<string | null> {
  const remembered = cookieIn(request.headers.cookie, idTokenCookie);
  if (oidc === undefined || remembered === undefined || remembered === '') return null;
  try {
    const idToken = remembered === tooLong ? undefined : remembered;
    return (await oidc.end(idToken, `${addressOf(request, oidc, hosts)}/`))?.href ?? null;
  } catch (err) {
    logger.warn({ err, issuer: oidc.options.issuer }, 'skipped the logout at the identity provider');
    return null;
  }
}

/** Of the server as the browser knows it; the provider compares it with what is registered there. */
export function addressOf(request: Request, { options }: Oidc, hosts: Hosts): string {
  return options.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? hosts.urlOf(request);
}
