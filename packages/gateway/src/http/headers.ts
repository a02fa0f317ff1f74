/**
 * Headers as flat lists `[name, value, name, value …]`, which preserve order, spelling and repetition.
 */
export type FlatHeaders = readonly string[];

/** Largest head of a request or response, in bytes: load balancers accept as much, Node by itself a quarter. */
export const MAX_HEAD_BYTES = 65_536;

/** Headers of one connection, not of the message (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Not forwarded: the upstream has its own host, `expect` was answered here, and the session's name is for the gateway
 * alone and may hold names of customers.
 */
const notForwarded = new Set(['host', 'expect', 'x-session-id']);

/** The request headers to forward to the upstream. */
export function requestHeaders(raw: FlatHeaders): string[] {
  return endToEnd(raw, (name) => notForwarded.has(name));
}

/** The response headers to forward to the client. */
export function responseHeaders(raw: FlatHeaders): string[] {
  return endToEnd(raw, () => false);
}

/** @param names header names to remove, in lower case */
export function withoutHeaders(headers: FlatHeaders, ...names: readonly string[]): string[] {
  return filtered(headers, (name) => names.includes(name));
}

/** The first value of a header. @param name in lower case */
export function headerOf(headers: FlatHeaders, name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (headers[i]?.toLowerCase() === name) return headers[i + 1];
  return undefined;
}

function endToEnd(raw: FlatHeaders, isRemoved: (name: string) => boolean): string[] {
  const connectionHeaders = (headerOf(raw, 'connection') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  return filtered(raw, (name) => hopByHop.has(name) || connectionHeaders.includes(name) || isRemoved(name));
}

function filtered(headers: FlatHeaders, isRemoved: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (!isRemoved(name.toLowerCase())) kept.push(name, headers[i + 1] ?? '');
  }
  return kept;
}
