import { endRequestSpan, inRequestSpan } from '@loopwatch/telemetry';
import type { RequestHandler } from 'express';
import { routePattern } from './route-pattern.ts';

/** Requests of monitoring systems, which would be most of the traces. */
const untraced = new Set(['/healthz', '/readyz', '/metrics']);

/** Records a span for each request; it continues the caller's trace. */
export function traceRequests(): RequestHandler {
  return (request, response, next) => {
    const { method, path, protocol, hostname } = request;
    if (untraced.has(path)) {
      next();
      return;
    }
    // The path without the host that a proxy's request has in it.
    const attributes = { 'url.path': path, 'url.scheme': protocol, 'server.address': hostname };
    inRequestSpan(request, method, attributes, (span) => {
      // Also when the client disconnects, which ends a stream.
      response.once('close', () => {
        const route = routePattern(request);
        if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        endRequestSpan(span, response.statusCode);
      });
      next();
    });
  };
}
