import type { Tracing } from '@loopwatch/telemetry';
import type { RequestHandler } from 'express';
import { routePattern } from './route-pattern.ts';

/** Requests of monitoring systems, which would be most of the traces. */
const untraced = new Set(['/healthz', '/readyz', '/metrics']);

/** Records a span for each request; it continues the caller's trace. */
export function traceRequests(tracing: Tracing): RequestHandler {
  return (request, response, next) => {
    const { method, path, protocol, hostname, headers } = request;
    if (untraced.has(path)) {
      next();
      return;
    }
    const span = tracing.start(method, {
      kind: 'server',
      parent: headers,
      attributes: {
        'http.request.method': method,
        'url.path': path,
        'url.scheme': protocol,
        'server.address': hostname,
        'user_agent.original': headers['user-agent'],
      },
    });
    // Also when the client disconnects, which ends a stream.
    response.once('close', () => {
      const route = routePattern(request);
      const { statusCode: status } = response;
      if (route !== undefined) span.rename(`${method} ${route}`);
      span.set({ 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) span.fail(String(status));
      span.end();
    });
    span.run(next);
  };
}
