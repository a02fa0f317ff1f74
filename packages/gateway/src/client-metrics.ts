import { Histogram, type Registry } from 'prom-client';

/** Clients choose the names of models: those beyond this number share one label. */
const MAX_MODELS = 100;
const MAX_NAME_LENGTH = 100;

/** What a request asks, and whom. */
interface RequestedModel {
  readonly model: string | null;
  readonly backend: string | null;
}

const requested = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const;
type RequestLabel = (typeof requested)[number];

/** The client metrics of the semantic conventions of OpenTelemetry for generative AI, by their names in Prometheus. */
export class ClientMetrics {
  readonly #tokens: Histogram<RequestLabel | 'gen_ai_token_type'>;
  readonly #duration: Histogram<RequestLabel | 'error_type'>;
  readonly #models = new Set<string>();

  constructor(registry: Registry) {
    const registers = [registry];
    this.#tokens = new Histogram({
      name: 'gen_ai_client_token_usage',
      help: 'Tokens of a model request, input and output.',
      labelNames: [...requested, 'gen_ai_token_type'],
      buckets: Array.from({ length: 14 }, (_, power) => 4 ** power),
      registers,
    });
    this.#duration = new Histogram({
      name: 'gen_ai_client_operation_duration_seconds',
      help: 'Time until the reply to a model request is complete.',
      labelNames: [...requested, 'error_type'],
      buckets: Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power),
      registers,
    });
  }

  observeUsage(
    request: RequestedModel,
    usage: { readonly inputTokens?: number | null; readonly outputTokens?: number | null },
  ): void {
    const labels = this.#labelsOf(request);
    for (const [type, tokens] of [
      ['input', usage.inputTokens],
      ['output', usage.outputTokens],
    ] as const)
      if (tokens != null) this.#tokens.observe({ ...labels, gen_ai_token_type: type }, tokens);
  }

  /** @param error why the request failed; undefined if it did not */
  observeDuration(request: RequestedModel, seconds: number, error?: string): void {
    const labels = this.#labelsOf(request);
    this.#duration.observe({ ...labels, ...(error !== undefined && { error_type: error }) }, seconds);
  }

  #labelsOf({ model, backend }: RequestedModel): Record<RequestLabel, string> {
    const name = (model ?? '').slice(0, MAX_NAME_LENGTH);
    const isKnown = this.#models.has(name) || this.#models.size < MAX_MODELS;
    if (isKnown) this.#models.add(name);
    return {
      gen_ai_operation_name: 'chat',
      gen_ai_provider_name: backend ?? '',
      gen_ai_request_model: isKnown ? name : '_OTHER',
    };
  }
}
