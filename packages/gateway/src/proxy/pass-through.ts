import type { Logger } from 'pino';
import { type ApiKind, apiError } from '../http/api-error.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { responseHeaders } from '../http/headers.ts';
import type { ResponseReceiver } from '../http/response.ts';
import type { Upstream, UpstreamRequest } from '../http/upstream.ts';
import type { UpstreamError } from '../http/upstream-error.ts';
import type { GatewayMetrics, RequestOutcome } from '../metrics.ts';

export interface PassThroughDeps {
  readonly upstream: Upstream;
  readonly metrics: GatewayMetrics;
  readonly logger: Logger;
}

/** Forwards a request and its response byte by byte, without looking at them. */
export async function passThrough(
  { upstream, metrics, logger }: PassThroughDeps,
  request: UpstreamRequest,
  client: ClientResponse,
  api: ApiKind,
): Promise<RequestOutcome> {
  const error = await forward(upstream, request, client);
  if (error === undefined) return 'passed';
  sendUpstreamError(client, api, error);
  if (client.signal.aborted) return 'client_gone';
  metrics.upstreamFailures.inc({ failure: error.failure });
  logger.warn({ failure: error.failure }, error.message);
  return 'upstream_failed';
}

/** Reports an upstream failure to the client: as an API error, or by cutting off a response that has started. */
export function sendUpstreamError(client: ClientResponse, api: ApiKind, error: UpstreamError): void {
  if (client.started) client.cut();
  else client.json(error.status, apiError(api, error.status, `upstream_${error.failure}`, error.message));
}

function forward(
  upstream: Upstream,
  request: UpstreamRequest,
  client: ClientResponse,
): Promise<UpstreamError | undefined> {
  return new Promise((resolve) => {
    const receiver: ResponseReceiver = {
      start(status, headers, statusMessage) {
        client.head(status, responseHeaders(headers), statusMessage);
      },
      data(chunk) {
        client.write(chunk);
      },
      end() {
        client.end();
        resolve(undefined);
      },
      failed: resolve,
    };
    client.feedFrom(upstream.send(request, receiver));
  });
}
