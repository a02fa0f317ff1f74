import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Tracing } from '@loopwatch/telemetry';

/** What the span of a request says about it. */
export interface TracedRequest {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  /** End of the path of a known API, such as `/chat/completions`; undefined for other requests. */
  readonly route: string | undefined;
}

/**
 * Handles a request in a span, which continues the client's trace and lasts until the response is complete.
 *
 * @param handle never rejects
 */
export async function traceRequest(
  tracing: Tracing,
  { incoming, response, route }: TracedRequest,
  handle: () => Promise<void>,
): Promise<void> {
  const { method = 'GET', url = '/', headers } = incoming;
  const closed = new Promise((resolve) => response.once('close', resolve));
  const span = tracing.start(route === undefined ? method : `${method} ${route}`, {
    kind: 'server',
    parent: headers,
    attributes: {
      'http.request.method': method,
      // Some clients send the key in the query.
      'url.path': url.split('?', 1)[0],
      'url.scheme': 'http',
      'http.route': route,
      'user_agent.original': headers['user-agent'],
    },
  });
  await span.run(handle);
  await closed;
  const { statusCode: status } = response;
  span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}
