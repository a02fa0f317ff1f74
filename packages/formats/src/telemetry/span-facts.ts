import type { Usage } from '../record/conversation.ts';
import { type JsonObject, numberOf, objectOf, textOf, tokensOf, unwrapped } from '../record/json.ts';
import type { Signal } from '../record/signal.ts';
import { langfuseUsage } from './langfuse.ts';

const sessionNames = [
  'gen_ai.conversation.id',
  'session.id',
  'langfuse.session.id',
  'traceloop.association.properties.session_id',
  'traceloop.association.properties.thread_id',
  'ai.telemetry.metadata.sessionId',
  'ai.telemetry.metadata.threadId',
  'gcp.vertex.agent.session_id',
  'langsmith.metadata.thread_id',
  'langsmith.metadata.session_id',
  'langsmith.metadata.conversation_id',
  'spring.ai.chat.client.conversation.id',
  'conversation.id',
  'thread.id',
  'thread_id',
];

/** The session id in the attributes of a span or its resource. */
export function sessionOf({ attributes, resource }: Signal): string | undefined {
  const named = sessionNames.map((name) => textOf(attributes[name])).find((id) => id !== undefined);
  return named ?? textOf(unwrapped(attributes['mlflow.trace.session'])) ?? textOf(resource['session.id']);
}

/** The agent's name, else that of the service; SDKs name an unnamed service `unknown_service:<process>`. */
export function agentOf({ attributes: a, resource }: Signal): string | undefined {
  const service = textOf(resource['service.name']);
  return (
    textOf(a['gen_ai.agent.name']) ??
    textOf(a['agent.name']) ??
    (service?.startsWith('unknown_service') ? undefined : service) ??
    textOf(a['ai.telemetry.functionId'])
  );
}

/** The model that answered, else the requested one. */
export function modelOf({ attributes: a }: Signal): string | undefined {
  return (
    textOf(a['gen_ai.response.model']) ??
    textOf(a['gen_ai.request.model']) ??
    textOf(a['llm.model_name']) ??
    textOf(a['langfuse.observation.model.name']) ??
    textOf(unwrapped(a['mlflow.llm.model']))
  );
}

/** The first of these attributes that is a number. */
export function firstNumber(attributes: JsonObject, ...names: readonly string[]): number | undefined {
  return names.map((name) => numberOf(attributes[name])).find((number) => number !== undefined);
}

function mlflowUsage(a: JsonObject): Usage | undefined {
  const { input_tokens: input, output_tokens: output } = objectOf(unwrapped(a['mlflow.chat.tokenUsage']));
  const inputTokens = tokensOf(input);
  return inputTokens === undefined ? undefined : { inputTokens, outputTokens: tokensOf(output) };
}

export function usageOf({ attributes: a }: Signal): Usage | undefined {
  const input = firstNumber(
    a,
    'gen_ai.usage.input_tokens',
    'llm.token_count.prompt',
    'gen_ai.usage.prompt_tokens',
    'ai.usage.promptTokens',
    'ai.usage.inputTokens',
  );
  const output = firstNumber(
    a,
    'gen_ai.usage.output_tokens',
    'llm.token_count.completion',
    'gen_ai.usage.completion_tokens',
    'ai.usage.completionTokens',
    'ai.usage.outputTokens',
  );
  if (input === undefined && output === undefined)
    return langfuseUsage(unwrapped(a['langfuse.observation.usage_details'])) ?? mlflowUsage(a);
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    cachedInputTokens: firstNumber(
      a,
      'gen_ai.usage.cache_read.input_tokens',
      'llm.token_count.prompt_details.cache_read',
      'ai.usage.cachedInputTokens',
    ),
    cacheWriteTokens: firstNumber(
      a,
      'gen_ai.usage.cache_creation.input_tokens',
      'llm.token_count.prompt_details.cache_write',
      'ai.usage.inputTokenDetails.cacheWriteTokens',
    ),
    reasoningTokens: firstNumber(
      a,
      'gen_ai.usage.reasoning.output_tokens',
      'llm.token_count.completion_details.reasoning',
      'ai.usage.reasoningTokens',
    ),
  };
}
