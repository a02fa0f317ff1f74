import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request comes from the dashboard's own origin, or from no browser page at all. Pages of other origins
 * may neither listen to `/live` nor send events. The host is compared, not the scheme: a proxy may end TLS.
 */
export function isSameOrigin({ origin, host }: IncomingHttpHeaders): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}
