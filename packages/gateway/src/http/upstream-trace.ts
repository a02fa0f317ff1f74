import { portOf, type Span, type Tracing } from '@loopwatch/telemetry';
import { type FlatHeaders, withoutHeaders } from './headers.ts';
import type { ResponseReceiver } from './response.ts';
import type { UpstreamError } from './upstream-error.ts';

/** The span of one call of the upstream, from the request to the last byte of the response. */
export class UpstreamTrace {
  readonly #span: Span;

  constructor(
    tracing: Tracing,
    origin: string,
    { method, path }: { readonly method: string; readonly path: string },
  ) {
    const address = new URL(origin);
    const [plain = ''] = path.split('?', 1);
    this.#span = tracing.start(method, {
      kind: 'client',
      attributes: {
        'http.request.method': method,
        // Some APIs take the key in the query.
        'url.full': origin + plain,
        'server.address': address.hostname,
        'server.port': portOf(address),
      },
    });
  }

  /** The headers of the request, with this call as the caller instead of the client. */
  headers(received: FlatHeaders): string[] {
    const own = Object.entries(this.#span.headers).flat();
    return [...withoutHeaders(received, 'traceparent', 'tracestate'), ...own];
  }

  /** Follows the response on its way to the receiver. */
  receiver(receiver: ResponseReceiver): ResponseReceiver {
    const span = this.#span;
    return {
      start(status: number, headers: FlatHeaders, statusMessage: string): void {
        span.set({ 'http.response.status_code': status });
        if (status >= 400) span.fail(String(status));
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
        span.fail(error.failure, error.message);
        span.end();
        receiver.failed(error);
      },
    };
  }
}
