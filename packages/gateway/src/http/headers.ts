/**
 * Headers as they travel: flat lists `[name, value, name, value …]`, so that order, spelling and repetition stay what
 * they were.
 */
export type FlatHeaders = readonly string[];

/** Of one connection, not of the message (RFC 9110, 7.6.1). */
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
 * Not for the upstream: it has a host of its own; that the body may be sent was answered here; the session's name is said
 * to the gateway alone, and may hold names of customers.
 */
const notForwarded = new Set(['host', 'expect', 'x-session-id']);

/** What of a request's headers goes to the upstream. */
export function requestHeaders(raw: FlatHeaders): string[] {
  return endToEnd(raw, (name) => notForwarded.has(name));
}

/** What of a response's headers goes to the client. */
export function responseHeaders(raw: FlatHeaders): string[] {
  return endToEnd(raw, () => false);
}

/** The headers without those of the given names, which are in lower case. */
export function withoutHeaders(headers: FlatHeaders, ...names: readonly string[]): string[] {
  return filtered(headers, (name) => names.includes(name));
}

/** The first value of a header; its name in lower case. */
export function headerOf(headers: FlatHeaders, name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (headers[i]?.toLowerCase() === name) return headers[i + 1];
  return undefined;
}

function endToEnd(raw: FlatHeaders, isLeftOut: (name: string) => boolean): string[] {
  const ofConnection = (headerOf(raw, 'connection') ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  return filtered(raw, (name) => hopByHop.has(name) || ofConnection.includes(name) || isLeftOut(name));
}

function filtered(headers: FlatHeaders, isLeftOut: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (!isLeftOut(name.toLowerCase())) kept.push(name, headers[i + 1] ?? '');
  }
  return kept;
}
