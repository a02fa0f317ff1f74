import type { IncomingMessage } from 'node:http';
import type { Span, SpanAttributes, Tracing } from './tracing.ts';

/**
 * Starts the span of a request to this process, by the conventions for HTTP servers; it continues the caller's trace. The
 * query is left out, because some clients send their key in it.
 *
 * @param attributes in addition to those that every request has
 */
export function startRequestSpan(
  tracing: Tracing,
  { method = 'GET', url = '/', headers }: IncomingMessage,
  name: string,
  attributes: SpanAttributes,
): Span {
  return tracing.start(name, {
    kind: 'server',
    parent: headers,
    attributes: {
      'http.request.method': method,
      'url.path': url.split('?', 1)[0],
      'user_agent.original': headers['user-agent'],
      ...attributes,
    },
  });
}

/** Ends the span of a request to this process, which has failed if the fault is the process' own. */
export function endRequestSpan(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}

/** The port of an HTTP address, which may leave out the default one. */
export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'http:' ? 80 : 443);
}
