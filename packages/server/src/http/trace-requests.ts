import { endRequestSpan, startRequestSpan, type Tracing } from '@loopwatch/telemetry';
import type { RequestHandler } from 'express';
import { routePattern } from './route-pattern.ts';

/** Requests of monitoring systems, which would be most of the traces. */
const untraced = new Set(['/healthz', '/readyz', '/metrics']);

/** Records a span for each request; it continues the caller's trace. */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    const { method, path, protocol, hostname } = request;
    if (untraced.has(path)) {
      next();
      return;
    }
    const span = startRequestSpan(tracing, request, method, {
      // Without the host that a proxy's request has in it.
      'url.path': path,
      'url.scheme': protocol,
      'server.address': hostname,
    });
    // Also when the client disconnects, which ends a stream.
    response.once('close', () => {
      const route = routePattern(request);
      if (route !== undefined) span.rename(`${method} ${route}`);
      span.set({ 'http.route': route });
      endRequestSpan(span, response.statusCode);
    });
    span.run(next);
  };
}
