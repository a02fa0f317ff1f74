import { failSpan, portOf, tracer } from '@loopwatch/telemetry';
import { context, propagation, type Span, SpanKind, trace } from '@opentelemetry/api';
import { type FlatHeaders, withoutHeaders } from './headers.ts';
import type { ResponseReceiver } from './response.ts';
import type { UpstreamError } from './upstream-error.ts';

/** The span of one call of the upstream, from the request to the last byte of the response. */
export class UpstreamTrace {
  readonly #span: Span;

  constructor(address: URL, { method, path }: { readonly method: string; readonly path: string }) {
    this.#span = tracer().startSpan(method, {
      kind: SpanKind.CLIENT,
      attributes: {
        'http.request.method': method,
        // Some APIs take the key in the query.
        'url.full': address.origin + (path.split('?', 1)[0] ?? ''),
        'server.address': address.hostname,
        'server.port': portOf(address),
      },
    });
  }

  /** The headers of the request, with this call as the caller instead of the client; unchanged if traces are off. */
  headers(received: FlatHeaders): string[] {
    const own: Record<string, string> = {};
    propagation.inject(trace.setSpan(context.active(), this.#span), own);
    if (own['traceparent'] === undefined) return [...received];
    return [...withoutHeaders(received, 'traceparent', 'tracestate'), ...Object.entries(own).flat()];
  }

  /** Follows the response on its way to the receiver. */
  receiver(receiver: ResponseReceiver): ResponseReceiver {
    const span = this.#span;
    return {
      start(status: number, headers: FlatHeaders, statusMessage: string): void {
        span.setAttribute('http.response.status_code', status);
        if (status >= 400) failSpan(span, String(status));
        receiver.start(status, headers, statusMessage);
      },
      data(chunk: Buffer): void {
        receiver.data(chunk);
      },
      end(): void {
        span.end();
        receiver.end();
      },
      failed(error: UpstreamError): void {
        failSpan(span, error.failure, error.message);
        span.end();
        receiver.failed(error);
      },
    };
  }
}
