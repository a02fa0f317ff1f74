import type { Message, Usage } from '../record/conversation.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf, unwrapped } from '../record/json.ts';
import { messagesFrom } from '../wire/messages.ts';
import { nested, type Signal } from './otlp-json.ts';

/** The kind of a span by the conventions of GenAI, OpenInference, OpenLLMetry or the AI SDK. */
export function kindOf({ name, attributes }: Signal): 'model' | 'tool' | undefined {
  const operation = attributes['gen_ai.operation.name'];
  if (operation === 'execute_tool') return 'tool';
  if (models.has(String(operation))) return 'model';
  const kind = attributes['openinference.span.kind'] ?? attributes['traceloop.span.kind'];
  if (/^tool$/i.test(String(kind))) return 'tool';
  if (/^llm$/i.test(String(kind)) || attributes['llm.request.type'] === 'chat') return 'model';
  const own = textOf(attributes['ai.operationId']) ?? name;
  if (own === 'ai.toolCall') return 'tool';
  // Their parent spans repeat the same content.
  if (/^ai\.\w+\.do(?:Stream|Generate)$/.test(own)) return 'model';
  return name === 'gen_ai.client.inference.operation.details' ? 'model' : undefined;
}

const models = new Set(['chat', 'text_completion', 'generate_content', 'gen_ai.client.inference']);

const sessionNames = [
  'gen_ai.conversation.id',
  'session.id',
  'langfuse.session.id',
  'traceloop.association.properties.session_id',
  'traceloop.association.properties.thread_id',
  'ai.telemetry.metadata.sessionId',
  'ai.telemetry.metadata.threadId',
  'conversation.id',
  'thread.id',
  'thread_id',
];

/** The session id in the attributes of a span or its resource. */
export function sessionOf({ attributes, resource }: Signal): string | undefined {
  const named = sessionNames.map((name) => textOf(attributes[name])).find((id) => id !== undefined);
  return named ?? textOf(resource['session.id']);
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
    textOf(a['gen_ai.response.model']) ?? textOf(a['gen_ai.request.model']) ?? textOf(a['llm.model_name'])
  );
}

export interface ToolFacts {
  readonly name: string;
  readonly callId: string | undefined;
  readonly args: Readonly<Record<string, unknown>> | string | undefined;
  readonly result: unknown;
}

export function toolOf({ name, attributes: a }: Signal): ToolFacts {
  const args =
    a['gen_ai.tool.call.arguments'] ??
    a['ai.toolCall.args'] ??
    a['input.value'] ??
    nested(a, 'tool.parameters') ??
    a['traceloop.entity.input'];
  return {
    name:
      textOf(a['gen_ai.tool.name']) ??
      textOf(a['tool.name']) ??
      textOf(a['ai.toolCall.name']) ??
      textOf(a['traceloop.entity.name']) ??
      name,
    callId: textOf(a['gen_ai.tool.call.id']) ?? textOf(a['ai.toolCall.id']) ?? textOf(a['tool.id']),
    args: args === undefined || typeof args === 'string' ? args : { ...objectOf(args) },
    result:
      unquoted(a['gen_ai.tool.call.result']) ??
      unwrapped(a['ai.toolCall.result']) ??
      // The text of null, which is a result too.
      a['ai.toolCall.result'] ??
      a['output.value'] ??
      a['traceloop.entity.output'],
  };
}

/** Decodes a string that the AI SDK encodes as JSON, whereas histories contain it unencoded. */
function unquoted(value: unknown): unknown {
  const text = unwrapped(value);
  return typeof text === 'string' ? text : value;
}

/** The messages sent to the model. */
export function inputOf({ attributes: a }: Signal): Message[] {
  const held =
    nested(a, 'gen_ai.input.messages') ??
    nested(a, 'llm.input_messages') ??
    nested(a, 'gen_ai.prompt') ??
    nested(a, 'ai.prompt.messages');
  return messagesFrom(listOf(held));
}

/** The response of the model. */
export function outputOf({ attributes: a }: Signal): Message[] {
  const held =
    nested(a, 'gen_ai.output.messages') ??
    nested(a, 'llm.output_messages') ??
    nested(a, 'gen_ai.completion') ??
    answerOfAiSdk(a);
  // The role of a response may be missing.
  const answers = listOf(held).map((value) => {
    const item = objectOf(value);
    return isObject(item['message']) || 'role' in item ? item : { ...item, role: 'assistant' };
  });
  return messagesFrom(answers);
}

function answerOfAiSdk(a: JsonObject): unknown {
  const calls = unwrapped(a['ai.response.toolCalls']);
  const text = a['ai.response.text'];
  if (text === undefined && calls === undefined) return undefined;
  return [{ role: 'assistant', content: text, tool_calls: calls, reasoning: a['ai.response.reasoning'] }];
}

/** The first of these attributes that is a number. */
export function firstNumber(attributes: JsonObject, ...names: readonly string[]): number | undefined {
  return names.map((name) => numberOf(attributes[name])).find((number) => number !== undefined);
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
  if (input === undefined && output === undefined) return undefined;
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
