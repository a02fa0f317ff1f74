import type { Message, MessageCall, MessageResult } from '../record/conversation.ts';
import { isObject, type JsonObject, joinedText, listOf, objectOf, textOf } from '../record/json.ts';

/** A message of the model, under construction. */
interface AssistantMessage {
  readonly role: 'assistant';
  thought?: string;
  text?: string;
  readonly calls: MessageCall[];
}

const roles: Readonly<Record<string, string>> = {
  assistant: 'assistant',
  ai: 'assistant',
  AIMessage: 'assistant',
  AIMessageChunk: 'assistant',
  model: 'assistant',
  user: 'user',
  human: 'user',
  HumanMessage: 'user',
  tool: 'tool',
  function: 'tool',
  ToolMessage: 'tool',
  FunctionMessage: 'tool',
};

/**
 * Reads a list of messages of any API: Chat messages, Responses items, Anthropic messages, message parts of OpenTelemetry
 * and the AI SDK, wrapped messages of LangChain and OpenInference. Skips system messages, which can change between the
 * requests of a conversation.
 */
export function messagesFrom(list: readonly unknown[]): Message[] {
  const messages: Message[] = [];
  /** The message that further items belong to: in the Responses API, each part of a message is an item. */
  let open: AssistantMessage | undefined;
  for (const value of list) {
    const item = unwrappedMessage(value);
    const isItem = readItem(item, (message) => {
      if (message.role !== 'assistant') {
        open = undefined;
        messages.push(message);
      } else if (open === undefined) {
        open = message;
        messages.push(message);
      } else append(open, message);
    });
    if (isItem) continue;
    open = undefined;
    messages.push(...messagesOf(item));
  }
  return messages;
}

function append(message: AssistantMessage, { thought, text, calls }: AssistantMessage): void {
  if (thought !== undefined) message.thought = joined(message.thought, thought);
  if (text !== undefined) message.text = joined(message.text, text);
  message.calls.push(...calls);
}

function joined(before: string | undefined, text: string): string {
  return before === undefined ? text : `${before}\n${text}`;
}

/** LangChain wraps a message as `{lc, id, kwargs}` or `{type, data}`, OpenInference as `{message}`. */
function unwrappedMessage(value: unknown): JsonObject {
  const item = objectOf(value);
  const { kwargs, message, data, id } = item;
  if (isObject(kwargs)) return { role: listOf(id).at(-1), ...kwargs };
  if (isObject(message) && !('role' in item)) return message;
  return isObject(data) && 'content' in data && !('role' in item) ? { type: item['type'], ...data } : item;
}

type ItemMessage = AssistantMessage | Exclude<Message, { role: 'assistant' }>;

/** Reads an item of the Responses API. @returns whether the record is one */
function readItem(item: JsonObject, onMessage: (message: ItemMessage) => void): boolean {
  const id = textOf(item['call_id']) ?? textOf(item['id']);
  const name = textOf(item['name']) ?? '';
  switch (item['type']) {
    case 'function_call':
      onMessage({ role: 'assistant', calls: [{ id, name, args: argsOf(item['arguments']) }] });
      return true;
    case 'custom_tool_call':
      onMessage({ role: 'assistant', calls: [{ id, name, args: { input: item['input'] } }] });
      return true;
    case 'function_call_output':
    case 'custom_tool_call_output':
      onMessage({ role: 'tool', results: [{ id, result: item['output'] }] });
      return true;
    case 'reasoning': {
      const thought = joinedText(item['summary']) || joinedText(item['content']);
      if (thought !== '') onMessage({ role: 'assistant', thought, calls: [] });
      return true;
    }
    case 'message':
      if (item['role'] !== 'assistant') return false;
      onMessage(assistantMessageOf(item));
      return true;
    default:
      return false;
  }
}

function messagesOf(item: JsonObject): Message[] {
  const role = roles[String(item['role'] ?? item['type'])];
  if (role === 'assistant') return [assistantMessageOf(item), ...resultsIn(item)];
  if (role === 'tool') {
    const inner = resultsIn(item);
    if (inner.length > 0) return inner;
    const isError = item['status'] === 'error' || item['is_error'] === true ? true : undefined;
    const id = textOf(item['tool_call_id']) ?? textOf(item['toolCallId']) ?? textOf(item['id']);
    return [{ role, results: [{ id, result: plainResult(item['content']), isError }] }];
  }
  if (role !== 'user') return [];
  const results = resultsIn(item);
  const text = textIn(item);
  if (results.length === 0) return [{ role, text }];
  // What stands beside results was not typed by a person: environment details, reminders.
  return text === '' ? results : [...results, { role, text, origin: 'harness' }];
}

/** The blocks of a message; plain text counts as one block. */
function blocksOf(item: JsonObject): readonly JsonObject[] {
  const content = item['content'] ?? item['parts'] ?? item['contents'];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content).map((part) => {
    if (typeof part === 'string') return { type: 'text', text: part };
    const block = objectOf(part);
    return isObject(block['message_content']) ? block['message_content'] : block;
  });
}

function textIn(item: JsonObject): string {
  const texts = blocksOf(item).map((block) =>
    isThought(block) ? undefined : (textOf(block['text']) ?? textOf(contentOfText(block))),
  );
  return texts.filter((text) => text !== undefined).join('\n');
}

function contentOfText({ type, content }: JsonObject): unknown {
  return type === 'text' ? content : undefined;
}

function isThought({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'reasoning';
}

function assistantMessageOf(item: JsonObject): AssistantMessage {
  const answer: AssistantMessage = { role: 'assistant', calls: [] };
  const thoughts = blocksOf(item)
    .filter(isThought)
    .map((block) => textOf(block['thinking']) ?? textOf(block['text']) ?? textOf(block['content']));
  const thought = [textOf(item['reasoning_content']) ?? textOf(item['reasoning']), ...thoughts]
    .filter((text) => text !== undefined)
    .join('\n');
  const text = textIn(item);
  if (thought !== '') answer.thought = thought;
  if (text !== '') answer.text = text;
  for (const call of [...listOf(item['tool_calls']), ...listOf(item['toolInvocations'])])
    answer.calls.push(callOf(objectOf(call)));
  const { function_call: legacy } = item;
  if (isObject(legacy)) answer.calls.push(callOf(legacy));
  // LangChain repeats the blocks of an Anthropic message in `tool_calls`.
  const known = new Set(answer.calls.map(({ id }) => id));
  for (const block of blocksOf(item)) {
    if (!callBlocks.has(String(block['type']))) continue;
    const call = callOf(block);
    if (call.id === undefined || !known.has(call.id)) answer.calls.push(call);
  }
  return answer;
}

const callBlocks = new Set(['tool_use', 'server_tool_use', 'tool_call', 'tool-call']);
const resultBlocks = new Set(['tool_result', 'tool_call_response', 'tool-result']);

/** A tool call of any API, wrapped or not. */
function callOf(value: JsonObject): MessageCall {
  const call = isObject(value['tool_call']) ? value['tool_call'] : value;
  const inner = objectOf(call['function'] ?? call['custom']);
  const name = textOf(inner['name']) ?? textOf(call['name']) ?? textOf(call['toolName']) ?? '';
  const args = inner['arguments'] ?? call['arguments'] ?? call['args'] ?? inner['input'] ?? call['input'];
  const id = textOf(call['id']) ?? textOf(call['toolCallId']) ?? textOf(call['call_id']);
  return { id, name, args: 'custom' in call ? { input: args } : argsOf(args) };
}

function argsOf(value: unknown): MessageCall['args'] {
  return typeof value === 'string' ? value : { ...objectOf(value) };
}

/** The tool results among the blocks of a message. */
function resultsIn(item: JsonObject): Message[] {
  const results = blocksOf(item)
    .filter(({ type }) => resultBlocks.has(String(type)))
    .map(resultOf);
  return results.length === 0 ? [] : [{ role: 'tool', results }];
}

function resultOf(block: JsonObject): MessageResult {
  const id = textOf(block['tool_use_id']) ?? textOf(block['id']) ?? textOf(block['toolCallId']);
  const { content, response, result } = block;
  const { output, isFailure } = unwrappedOutput(block);
  const isError = isFailure || block['is_error'] === true || block['isError'] === true ? true : undefined;
  return { id, result: plainResult(content ?? response ?? result ?? output), isError };
}

const forms = /^(error-)?(?:text|json|content)$/;

/** Unwraps a tool output of the AI SDK, such as `{type: 'error-text', value: 'no such file'}`. */
function unwrappedOutput({ type, output }: JsonObject): {
  readonly output: unknown;
  readonly isFailure: boolean;
} {
  const { type: form, value } = objectOf(output);
  const match = type === 'tool-result' && value !== undefined ? forms.exec(String(form)) : null;
  return match === null ? { output, isFailure: false } : { output: value, isFailure: match[1] !== undefined };
}

/** Joins a result that only consists of text parts. */
function plainResult(value: unknown): unknown {
  if (value === undefined || value === null) return '';
  const isTexts = Array.isArray(value) && value.every((part) => typeof objectOf(part)['text'] === 'string');
  return isTexts ? joinedText(value) : value;
}
