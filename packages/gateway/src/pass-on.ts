import type { ExchangeDeps } from './exchange.ts';
import type { ApiKind } from './http/api-error.ts';
import type { ClientResponse } from './http/client-response.ts';
import { passThrough } from './http/pass-through.ts';
import type { UpstreamRequest } from './http/upstream.ts';
import type { Outcome } from './metrics.ts';

/** Lets a request and its answer go on without a look; an upstream that fails is counted and told of. */
export async function passOn(
  { upstream, metrics, logger }: Pick<ExchangeDeps, 'upstream' | 'metrics' | 'logger'>,
  request: UpstreamRequest,
  client: ClientResponse,
  api: ApiKind,
): Promise<Outcome> {
  const result = await passThrough(upstream, request, client, api);
  if (result === 'passed') return 'passed';
  if (client.signal.aborted) return 'client_gone';
  metrics.upstreamFailures.inc({ failure: result.failure });
  logger.warn({ failure: result.failure }, result.message);
  return 'upstream_failed';
}
