import type { Message, ToolResult, Usage } from '../record/conversation.ts';
import {
  isObject,
  type JsonObject,
  listOf,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  tokensOf,
  unwrapped,
} from '../record/json.ts';
import type { Signal } from '../record/signal.ts';
import { joined, messagesFrom } from '../wire/messages.ts';
import { chatThought } from '../wire/openai-chat.ts';
import { langfuseUsage } from './langfuse.ts';
import { eventAttribute, nested } from './otlp-json.ts';
import { messagesOf } from './traced-runs.ts';

/** The kind of a span by the conventions of GenAI, OpenInference, OpenLLMetry or the AI SDK. */
export function kindOf({ name, attributes }: Signal): 'model' | 'tool' | 'execution' | undefined {
  const operation = attributes['gen_ai.operation.name'];
  // Repeats the results of parallel calls, each of which has its own span.
  if (attributes['gen_ai.tool.name'] === '(merged tools)') return undefined;
  if (operation === 'execute_tool' || isToolOfPydanticAi(attributes)) return 'tool';
  if (models.has(nameOf(operation))) return 'model';
  if (name === 'claude_code.tool.execution') return 'execution';
  const observation = attributes['langfuse.observation.type'];
  if (observation === 'tool') return 'tool';
  if (observation === 'generation') return 'model';
  const kind = spanKinds.map((key) => attributes[key]).find((value) => value !== undefined);
  const known = kinds.get(nameOf(kind).toLowerCase());
  if (known !== undefined) return known;
  // OpenLLMetry of LlamaIndex: the task that calls the tool.
  if (kind === 'task' && 'tool.name' in attributes && 'tool.arguments' in attributes) return 'tool';
  if (/^llm$/i.test(nameOf(kind))) return isRequest(attributes) ? 'model' : undefined;
  if (attributes['llm.request.type'] === 'chat') return 'model';
  const own = textOf(attributes['ai.operationId']) ?? name;
  if (own === 'ai.toolCall') return 'tool';
  // Their parent spans repeat the same content.
  if (/^ai\.\w+\.do(?:Stream|Generate)$/.test(own)) return 'model';
  // Without content, another span of the same request has the usage.
  if (name === 'call_llm' && isContent(attributes['gcp.vertex.agent.llm_response'])) return 'model';
  return name === 'gen_ai.client.inference.operation.details' ? 'model' : undefined;
}

const spanKinds = [
  'openinference.span.kind',
  'traceloop.span.kind',
  'langsmith.span.kind',
  'mlflow.spanType',
  'spring.ai.kind',
  'logfire.msg_template',
];

/** Values of these attributes; those of MLflow are JSON. `llm` may be a part of a request. */
const kinds: ReadonlyMap<string, 'model' | 'tool'> = new Map([
  ['tool', 'tool'],
  ['"tool"', 'tool'],
  ['"chat_model"', 'model'],
  ['"llm"', 'model'],
  ['tool_call', 'tool'],
  ['function: {name}', 'tool'],
  ['chat completion with {request_data[model]!r}', 'model'],
  ['chat completion with {gen_ai.request.model!r}', 'model'],
  ['message with {request_data[model]!r}', 'model'],
  ['responses api with {gen_ai.request.model!r}', 'model'],
]);

/** Before version 3 of its instrumentation, Pydantic AI named no operation. */
function isToolOfPydanticAi(attributes: JsonObject): boolean {
  return (
    'gen_ai.tool.name' in attributes && ('tool_arguments' in attributes || 'tool_response' in attributes)
  );
}

/** Whether a span of OpenInference is a request: LlamaIndex has spans for its preparations, and one around a stream. */
function isRequest(attributes: JsonObject): boolean {
  return (
    !('openinference.span.kind' in attributes) ||
    Object.keys(attributes).some((name) => requestFacts.test(name))
  );
}

const requestFacts = /^llm\.(?:input_messages|output_messages|token_count)\.|^gen_ai\./;

function isContent(value: unknown): boolean {
  return isObject(unwrapped(value)) && value !== '{}';
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

/** The messages sent to the model. */
export function inputOf(span: Signal): Message[] {
  const { attributes: a, logged } = span;
  // What is left in the attributes lacks content.
  const held =
    (logged === undefined ? undefined : messagesInEvents(span)) ??
    nested(a, 'gen_ai.input.messages') ??
    detail(span, 'gen_ai.input.messages') ??
    nested(a, 'llm.input_messages') ??
    nested(a, 'gen_ai.prompt') ??
    nested(a, 'ai.prompt.messages') ??
    objectOf(unwrapped(a['gcp.vertex.agent.llm_request']))['contents'] ??
    messagesInEvents(span);
  const observed = heldIn(
    a,
    'langfuse.observation.input',
    'mlflow.spanInputs',
    'request_data',
    'gen_ai.prompt',
  );
  if (listOf(held).length === 0 && observed !== undefined)
    // A text is what the user asked, not an answer.
    return typeof observed === 'string' ? [{ role: 'user', text: observed }] : messagesOf(observed);
  return turnsFrom(listOf(held));
}

/** What a platform records as a whole, in the first of these attributes; of others than Langfuse, not plain text. */
function heldIn(a: JsonObject, observed: string, ...names: readonly string[]): unknown {
  return (
    unwrapped(a[observed]) ??
    names.map((name) => unwrapped(a[name])).find((value) => isObject(value) || Array.isArray(value))
  );
}

/** The messages; text and calls of one response can be messages of their own. */
function turnsFrom(list: readonly unknown[]): Message[] {
  const turns: Message[] = [];
  for (const message of messagesFrom(list)) {
    const last = turns.at(-1);
    if (message.role === 'assistant' && last?.role === 'assistant')
      turns[turns.length - 1] = joined(last, message);
    else if (message.role === 'tool' && last?.role === 'tool')
      turns[turns.length - 1] = { ...last, results: [...last.results, ...othersIn(message, last)] };
    else turns.push(message);
  }
  return turns.map((turn, i) => withIdsOfResults(turn, turns[i + 1]));
}

/** Bedrock's instrumentation has a result twice: as the message of a tool and in that of the user. */
function othersIn({ results }: ToolMessage, before: ToolMessage): readonly ToolResult[] {
  const known = new Set(before.results.map(({ id }) => id));
  return results.filter(({ id }) => id === null || !known.has(id));
}

type ToolMessage = Extract<Message, { role: 'tool' }>;

/** OpenLLMetry of the OpenAI Agents SDK names calls of a history by the ids of their items, and results by those of their calls. */
function withIdsOfResults(turn: Message, next: Message | undefined): Message {
  if (turn.role !== 'assistant' || next?.role !== 'tool') return turn;
  const calls = new Set(turn.calls.map(({ id }) => id));
  const results = new Set(next.results.map(({ id }) => id));
  const other = [...results].filter((id) => !calls.has(id));
  if (other.length !== [...calls].filter((id) => !results.has(id)).length) return turn;
  return {
    ...turn,
    calls: turn.calls.map((call) =>
      results.has(call.id) ? call : { ...call, id: other.shift() ?? call.id },
    ),
  };
}

/** The response of the model. */
export function outputOf(span: Signal): Message[] {
  const { attributes: a, logged } = span;
  const held =
    (logged === undefined ? undefined : answerInEvents(span)) ??
    nested(a, 'gen_ai.output.messages') ??
    detail(span, 'gen_ai.output.messages') ??
    nested(a, 'llm.output_messages') ??
    nested(a, 'gen_ai.completion') ??
    answerOfAiSdk(a) ??
    answerOfAdk(a) ??
    answerInEvents(span);
  const observed = heldIn(
    a,
    'langfuse.observation.output',
    'mlflow.spanOutputs',
    'response_data',
    'gen_ai.completion',
  );
  if (listOf(held).length === 0 && observed !== undefined) return messagesOf(observed);
  // The role of a response may be missing.
  const answers = listOf(held).map((value) => {
    const item = objectOf(value);
    return isObject(item['message']) || 'role' in item ? item : { ...item, role: 'assistant' };
  });
  return turnsFrom(answers).map((turn) =>
    turn.role === 'assistant' && turn.thought === undefined ? { ...turn, thought: rawThought(a) } : turn,
  );
}

/** OpenInference of OpenAI's client: the attributes of the messages leave out reasoning, the response itself has it. */
function rawThought(a: JsonObject): string | undefined {
  const { choices } = objectOf(unwrapped(a['output.value']));
  return chatThought(objectOf(objectOf(listOf(choices)[0])['message']));
}

/** An attribute of the event that a span can have instead of it. */
function detail(span: Signal, attribute: string): unknown {
  return unwrapped(eventAttribute(span, 'gen_ai.client.inference.operation.details', attribute));
}

function answerOfAdk(a: JsonObject): unknown {
  const { content } = objectOf(unwrapped(a['gcp.vertex.agent.llm_response']));
  return isObject(content) ? [{ role: 'model', ...content }] : undefined;
}

const messageEvent = /^gen_ai\.(system|user|assistant|tool)\.message$/;

/** The messages in span events, as earlier conventions have them. */
function messagesInEvents({ events }: Signal): unknown {
  return events.flatMap(({ name, attributes: { content, tool_calls: calls, id, tool_call_id: callId } }) => {
    const role = messageEvent.exec(name)?.[1];
    // Without content, only calls are recorded.
    if (role === undefined || (content === undefined && calls === undefined)) return [];
    const parts = unwrapped(content);
    const isBlocks = Array.isArray(parts) && parts.every(isObject);
    // Strands sends results as the user does.
    const isOfUser = isBlocks && parts.some((part) => 'toolResult' in part);
    return [
      {
        role: isOfUser ? 'user' : role,
        content: isBlocks ? parts : content,
        tool_calls: callsIn(calls),
        id: id ?? callId,
      },
    ];
  });
}

/** Calls in an event; one that leaves out the arguments is not the same as another one. */
function callsIn(value: unknown): unknown {
  return listOf(unwrapped(value)).map((call) => {
    const { id, function: inner } = objectOf(call);
    if (!isObject(inner) || 'arguments' in inner) return call;
    return { type: 'tool_call', id, name: inner['name'] };
  });
}

function answerInEvents({ events }: Signal): unknown {
  return events
    .filter(({ name }) => name === 'gen_ai.choice')
    .map(({ attributes: { message, tool_calls: calls } }) => {
      const held = unwrapped(message);
      if (isObject(held)) return { role: 'assistant', ...held, tool_calls: callsIn(held['tool_calls']) };
      return {
        role: 'assistant',
        content: Array.isArray(held) ? held : message,
        tool_calls: callsIn(calls),
      };
    });
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
