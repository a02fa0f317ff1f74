import type { IncomingMessage, ServerResponse } from 'node:http';
import { endRequestSpan, startRequestSpan, type Tracing } from '@loopwatch/telemetry';

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
  const { method = 'GET' } = incoming;
  const closed = new Promise((resolve) => response.once('close', resolve));
  const span = startRequestSpan(tracing, incoming, route === undefined ? method : `${method} ${route}`, {
    'url.scheme': 'http',
    'http.route': route,
  });
  await span.run(handle);
  await closed;
  endRequestSpan(span, response.statusCode);
}
