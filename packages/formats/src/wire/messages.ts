import type { Message, ToolCall, ToolResult } from '../record/conversation.ts';
import {
  isObject,
  type JsonObject,
  joinedText,
  listOf,
  nameOf,
  objectOf,
  textOf,
  unwrapped,
} from '../record/json.ts';
import { blockResult, blocksOf, isResultBlock } from './anthropic.ts';
import { bedrockCall, bedrockResult, bedrockThought } from './bedrock.ts';
import { geminiCall, geminiResult } from './gemini.ts';
import { chatThought } from './openai-chat.ts';
import { itemCall, itemResult } from './openai-responses.ts';
import { plainResult } from './result.ts';
import { messagesInUiMessage } from './ui-message.ts';
import { unknownBlock } from './unknown-blocks.ts';

export type AssistantMessage = Extract<Message, { role: 'assistant' }>;

const roles = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['SystemMessage', 'system'],
  ['assistant', 'assistant'],
  ['ai', 'assistant'],
  ['AIMessage', 'assistant'],
  ['AIMessageChunk', 'assistant'],
  ['model', 'assistant'],
  ['user', 'user'],
  ['human', 'user'],
  ['HumanMessage', 'user'],
  ['tool', 'tool'],
  ['function', 'tool'],
  ['ToolMessage', 'tool'],
  ['toolResult', 'tool'],
  ['FunctionMessage', 'tool'],
]);

/**
 * Reads a list of messages of any API: Chat messages, Responses items, Anthropic messages, Gemini's contents, messages of Bedrock, parts of
 * OpenTelemetry and the AI SDK, wrapped messages of LangChain and OpenInference. Of the Responses API, each part of a message is an
 * item; consecutive ones become one message.
 *
 * @param read reads one element; a caller that reads the same elements again can remember the results
 * @param before the messages of earlier elements; of them, only the last may be replaced in the result
 */
export function messagesFrom<T>(
  list: readonly T[],
  read: (element: T) => readonly Message[] = readMessage,
  before: readonly Message[] = [],
): Message[] {
  const messages = [...before];
  for (const value of list)
    for (const message of read(value)) {
      const last = messages.at(-1);
      if (message.role === 'assistant' && last?.role === 'assistant' && isItem(value))
        messages[messages.length - 1] = joined(last, message);
      else messages.push(message);
    }
  return messages;
}

function isItem(value: unknown): boolean {
  const type = objectOf(value)['type'];
  return type === 'reasoning' || type === 'message' || nameOf(type).endsWith('_call');
}

/** Both messages as one, as if the model had sent it at once. */
export function joined(one: AssistantMessage, other: AssistantMessage): AssistantMessage {
  const both = (before: string | undefined, after: string | undefined, between: string) =>
    before === undefined || after === undefined ? (before ?? after) : `${before}${between}${after}`;
  return {
    role: 'assistant',
    thought: both(one.thought, other.thought, '\n'),
    text: both(one.text, other.text, ''),
    calls: [...one.calls, ...other.calls],
  };
}

/** Reads one message or item; empty if it is neither, several if it holds results beside the rest. */
export function readMessage(value: unknown): readonly Message[] {
  const item = unwrappedMessage(value);
  const ofUi = messagesInUiMessage(item);
  if (ofUi !== undefined) return ofUi.flatMap(messagesOf);
  const call = itemCall(item);
  const result = itemResult(item);
  if (call !== undefined || result !== undefined)
    return [
      ...(call === undefined ? [] : [{ role: 'assistant' as const, calls: [call] }]),
      ...(result === undefined ? [] : [{ role: 'tool' as const, results: [result] }]),
    ];
  if (item['type'] === 'reasoning' && !('role' in item)) {
    const thought = joinedText(item['summary']) || joinedText(item['content']);
    return thought === '' ? [] : [{ role: 'assistant', thought, calls: [] }];
  }
  return messagesOf(item);
}

const serialized = /^(?:human|ai|system|tool|function|chat|(?:AI|Human|System|Tool)MessageChunk)$/;

/** Whether it is a message in the form of LangChain's `messages_to_dict`. */
export function isSerializedMessage(value: unknown): boolean {
  const { type, data } = objectOf(value);
  return serialized.test(nameOf(type)) && isObject(data) && 'content' in data;
}

/** LangChain wraps a message as `{lc, id, kwargs}` or `{type, data}`, OpenInference as `{message}`. */
function unwrappedMessage(value: unknown): JsonObject {
  const item = objectOf(value);
  const { kwargs, message, data, id } = item;
  if (isObject(kwargs)) return { role: listOf(id).at(-1), ...kwargs };
  if (isObject(message) && !('role' in item)) return { ...item, ...message };
  return isObject(data) && 'content' in data && !('role' in item) ? { type: item['type'], ...data } : item;
}

function messagesOf(item: JsonObject): Message[] {
  const role = roles.get(nameOf(item['role'] ?? item['type']));
  const results = resultsIn(item);
  switch (role) {
    case 'system':
      return [{ role, text: textIn(item, '\n') }];
    case 'assistant':
      return [assistantMessageOf(item), ...results];
    case 'tool': {
      if (results.length > 0) return results;
      const isFailed = item['status'] === 'error' || item['is_error'] === true || item['isError'] === true;
      const id = textOf(item['tool_call_id']) ?? textOf(item['toolCallId']) ?? textOf(item['id']) ?? null;
      // OpenInference of AutoGen.
      if (id === null && Array.isArray(item['function']))
        return [{ role, results: item['function'].map(autogenResult) }];
      return [
        {
          role,
          results: [{ id, result: plainResult(item['content']), isError: isFailed ? true : undefined }],
        },
      ];
    }
    case 'user': {
      const text = textIn(item, '\n');
      if (results.length === 0) return [{ role, text }];
      // What stands beside results was not typed by a person: environment details, reminders.
      return text === '' ? results : [...results, { role, text, origin: 'harness' }];
    }
    default:
      return [];
  }
}

function blocksIn(item: JsonObject): readonly JsonObject[] {
  const blocks = blocksOf(item['content'] ?? item['parts'] ?? item['contents'] ?? item['items']);
  // OpenInference wraps the blocks of a message, too.
  return blocks.map((block) =>
    isObject(block['message_content']) ? block['message_content'] : kernelBlock(block),
  );
}

/** A block of Semantic Kernel's serialized history. Source: `semantic_kernel/contents` of version 1. */
function kernelBlock(block: JsonObject): JsonObject {
  const { content_type: type, arguments: args = {} } = block;
  if (type === 'function_call') return { ...block, type: 'tool_call', arguments: args };
  if (type === 'function_result') return { ...block, type: 'tool_call_response' };
  return typeof type === 'string' ? { type, ...block } : block;
}

/** The types of the blocks in a message that no API is known to have, after the message's role. */
export function unknownBlocks(value: unknown): string[] {
  const item = unwrappedMessage(value);
  const role = nameOf(item['role'] ?? item['type']);
  if (roles.get(role) !== 'assistant' && roles.get(role) !== 'user') return [];
  return blocksIn(item).flatMap((block) => {
    const type = unknownBlock(block);
    return type === undefined ? [] : [`${role} (${type})`];
  });
}

function textIn(item: JsonObject, between: string): string {
  const texts = blocksIn(item).map((block) =>
    thoughtIn(block) !== undefined ? undefined : (textOf(block['text']) ?? textOf(contentOfText(block))),
  );
  return texts.filter((text) => text !== undefined).join(between);
}

function contentOfText({ type, content }: JsonObject): unknown {
  return type === 'text' ? content : undefined;
}

const thoughtBlocks = new Set(['thinking', 'reasoning', 'think']);

/** What the model thinks, in a block of any API; undefined for other blocks. */
export function thoughtIn(block: JsonObject): string | undefined {
  const ofBedrock = bedrockThought(block);
  if (ofBedrock !== undefined) return ofBedrock;
  if (!thoughtBlocks.has(nameOf(block['type'])) && block['thought'] !== true) return undefined;
  const text = ['thinking', 'think', 'reasoning', 'text', 'content'].map((name) => textOf(block[name]));
  return text.find((one) => one !== undefined) ?? joinedText(block['summary']);
}

/** A message of the model; its texts are joined as in a stream, where nothing is between them. */
function assistantMessageOf(item: JsonObject): AssistantMessage {
  const blocks = blocksIn(item);
  const thought = [chatThought(item), ...blocks.map(thoughtIn)].filter(Boolean).join('\n');
  const text = textIn(item, '');
  const { function_call: older } = item;
  const calls = [
    ...listOf(item['tool_calls']),
    ...listOf(item['toolInvocations']),
    ...(isObject(older) ? [older] : []),
  ].map((call) => callOf(objectOf(call)));
  // LangChain repeats the blocks of an Anthropic message in `tool_calls`.
  const known = new Set(calls.map(({ id }) => id));
  for (const block of blocks) {
    const inner = geminiCall(block) ?? bedrockCall(block);
    if (inner === undefined && !callBlocks.has(nameOf(block['type']))) continue;
    const call = callOf(inner ?? block);
    if (call.id === null || !known.has(call.id)) calls.push(call);
  }
  return {
    role: 'assistant',
    ...(thought !== '' && { thought }),
    ...(text !== '' && { text }),
    calls,
  };
}

const callBlocks = new Set([
  'tool_use',
  'server_tool_use',
  'mcp_tool_use',
  'tool_call',
  'tool-call',
  'toolCall',
]);

/** A tool call of any API, wrapped or not. */
function callOf(value: JsonObject): ToolCall {
  const call = isObject(value['tool_call']) ? value['tool_call'] : value;
  const inner = objectOf(call['function'] ?? call['custom']);
  const name = textOf(inner['name']) ?? textOf(call['name']) ?? textOf(call['toolName']) ?? '';
  const args = inner['arguments'] ?? call['arguments'] ?? call['args'] ?? inner['input'] ?? call['input'];
  const id = textOf(call['id']) ?? textOf(call['toolCallId']) ?? textOf(call['call_id']) ?? null;
  if ('custom' in call) return { id, name, args: { input: args } };
  // Telemetry may leave them out.
  if (args === undefined && (call !== value || call['type'] === 'tool_call'))
    return { id, name, args: {}, hasUnknownArgs: true };
  return { id, name, args: typeof args === 'string' ? args : { ...objectOf(args) } };
}

/** The tool results among the blocks of a message. */
function resultsIn(item: JsonObject): Message[] {
  const results = blocksIn(item).flatMap(resultsOf);
  return results.length === 0 ? [] : [{ role: 'tool', results }];
}

/** The result in a block of Anthropic, of OpenTelemetry (`tool_call_response`) or of the AI SDK (`tool-result`). */
function resultsOf(block: JsonObject): ToolResult[] {
  const { type, response, result } = block;
  if (isResultBlock(block)) return [blockResult(block)];
  const wrapped = geminiResult(block) ?? bedrockResult(block);
  if (wrapped !== undefined) return [wrapped];
  if (type !== 'tool_call_response' && type !== 'tool-result') return [];
  const { output, isFailure } = unwrappedOutput(block);
  const given = block['content'] ?? response ?? result ?? output;
  // Telemetry may leave it out.
  if (given === undefined && type === 'tool_call_response') return [];
  return [
    {
      id: textOf(block['id']) ?? textOf(block['toolCallId']) ?? null,
      result: plainResult(given),
      isError: isFailure || block['isError'] === true ? true : undefined,
    },
  ];
}

function autogenResult(value: unknown): ToolResult {
  const { call_id: id, content, is_error: isError } = objectOf(unwrapped(value));
  return {
    id: textOf(id) ?? null,
    result: plainResult(content),
    isError: isError === true ? true : undefined,
  };
}

const forms = /^(error-)?(?:text|json|content)$/;

/** Unwraps a tool output of the AI SDK, such as `{type: 'error-text', value: 'no such file'}`. */
function unwrappedOutput({ type, output }: JsonObject): {
  readonly output: unknown;
  readonly isFailure: boolean;
} {
  const { type: form, value } = objectOf(output);
  const match = type === 'tool-result' && value !== undefined ? forms.exec(nameOf(form)) : null;
  return match === null ? { output, isFailure: false } : { output: value, isFailure: match[1] !== undefined };
}
