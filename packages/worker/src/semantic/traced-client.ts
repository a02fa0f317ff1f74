import { inSpan, portOf } from '@loopwatch/telemetry';
import { SpanKind } from '@opentelemetry/api';
import type { JudgeRequest } from './ask-judge.ts';
import type { ModelAnswer, ModelClient } from './limited-judge.ts';

/**
 * Records a span for each call of a model, by the conventions for generative AI. Texts of prompts and answers stay out of it.
 *
 * @param url base URL of the model's API
 */
export function tracedClient(client: ModelClient, url: string): ModelClient {
  const address = new URL(url);
  const { model, secondModel } = client;
  return {
    model,
    secondModel,
    ask(request: JudgeRequest, signal: AbortSignal): Promise<ModelAnswer> {
      const asked = request.second ? (secondModel ?? model) : model;
      const attributes = {
        'gen_ai.operation.name': 'chat',
        // The API's protocol, not the vendor of the model.
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': asked,
        'server.address': address.hostname,
        'server.port': portOf(address),
      };
      return inSpan(`chat ${asked}`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
        const answer = await client.ask(request, signal);
        span.setAttributes({
          'gen_ai.usage.input_tokens': answer.tokens?.input,
          'gen_ai.usage.output_tokens': answer.tokens?.output,
        });
        return answer;
      });
    },
  };
}
