import type { Request } from 'express';
import { LOGIN_MS } from './access.ts';
import type { Auth } from './auth.ts';
import { readCookie, setCookie } from './cookies.ts';
import type { Hosts } from './hosts.ts';
import type { Oidc } from './oidc.ts';

/** The only path that browsers send the cookie to. */
const path = '/api/v1/auth/logout';
const idTokenCookie = 'loopwatch_id_token';
/** Browsers reject cookies of more than 4096 bytes, name and attributes included. */
const MAX_ID_TOKEN_LENGTH = 3_800;
/** Stored in place of an ID token that is too long, to record that the login came from the provider. */
const TOO_LONG = '-';

/** A `set-cookie` header that stores the ID token, which the provider wants back at the logout. */
export function storeIdToken(idToken: string, secure: boolean): string {
  const value = idToken.length > MAX_ID_TOKEN_LENGTH ? TOO_LONG : idToken;
  return setCookie(idTokenCookie, value, { path, maxAgeMs: LOGIN_MS, secure });
}

export function clearIdToken(secure: boolean): string {
  return setCookie(idTokenCookie, '', { path, maxAgeMs: 0, secure });
}

/**
 * The address where the browser logs out at the identity provider; null when the login did not come from there, or the
 * provider is unavailable. The logout from Loopwatch succeeds in any case.
 */
export async function logOutAtProvider(
  request: Request,
  { oidc, hosts, logger }: Pick<Auth, 'oidc' | 'hosts' | 'logger'>,
): Promise<string | null> {
  const stored = readCookie(request.headers.cookie, idTokenCookie);
  if (oidc === undefined || stored === undefined || stored === '') return null;
  try {
    const idToken = stored === TOO_LONG ? undefined : stored;
    return (await oidc.logoutUrl(idToken, `${publicAddress(request, oidc, hosts)}/`))?.href ?? null;
  } catch (err) {
    logger.warn({ err, issuer: oidc.options.issuer }, 'Skipped the logout at the identity provider');
    return null;
  }
}

/** The server's address as the browser knows it; the provider compares it with the registered one. */
export function publicAddress(request: Request, { options }: Oidc, hosts: Hosts): string {
  return options.publicUrl?.replace(/(?<!\/)\/+$/, '') ?? hosts.urlOf(request);
}
