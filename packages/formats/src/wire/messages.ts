import { isObject, type JsonObject, joinedText, listOf, nameOf, objectOf, textOf } from '../record/json.ts';
import type { Message } from '../record/message.ts';
import { blocksIn, textIn, thoughtIn } from './blocks.ts';
import { callsIn, ownResults, resultsIn } from './calls.ts';
import { chatThought } from './openai-chat.ts';
import { itemCall, itemResult } from './openai-responses.ts';
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

/** Whether it is a message of LangChain, as `model_dump`, `messages_to_dict` or `dumpd` writes it. */
export function isLangChainMessage(value: unknown): value is JsonObject {
  const message = objectOf(value);
  const { type, data, kwargs, id } = message;
  if (type === 'constructor')
    return isObject(kwargs) && 'content' in kwargs && roles.has(nameOf(listOf(id).at(-1)));
  if (!serialized.test(nameOf(type))) return false;
  if (isObject(data)) return 'content' in data;
  const isDump = 'additional_kwargs' in message || type === 'human' || type === 'ai';
  return isDump && 'content' in message && !('sessionId' in message) && !('uuid' in message);
}

/** LangChain wraps a message as `{lc, id, kwargs}` or `{type, data}`, OpenInference as `{message}`. */
export function unwrappedMessage(value: unknown): JsonObject {
  const item = objectOf(value);
  const { kwargs, message, data, id } = item;
  if (isObject(kwargs)) return { role: listOf(id).at(-1), ...kwargs };
  if (isObject(message) && !('role' in item)) return { ...item, ...message };
  return isObject(data) && 'content' in data && !('role' in item) ? { type: item['type'], ...data } : item;
}

/** The name of its role, which Microsoft's Agent Framework wraps. */
function roleOf({ role, type }: JsonObject): string {
  return nameOf(isObject(role) ? role['value'] : (role ?? type));
}

function messagesOf(item: JsonObject): Message[] {
  const role = roles.get(roleOf(item));
  const results = resultsIn(item);
  switch (role) {
    case 'system':
      return [{ role, text: textIn(item, '\n') }];
    case 'assistant':
      return [assistantMessageOf(item), ...results];
    case 'tool':
      return results.length > 0 ? results : [{ role, results: ownResults(item) }];
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

/** The types of the blocks in a message that no API is known to have, after the message's role. */
export function unknownBlocks(value: unknown): string[] {
  const item = unwrappedMessage(value);
  const role = roleOf(item);
  if (roles.get(role) !== 'assistant' && roles.get(role) !== 'user') return [];
  return blocksIn(item).flatMap((block) => {
    const type = unknownBlock(block);
    return type === undefined ? [] : [`${role} (${type})`];
  });
}

/** A message of the model; its texts are joined as in a stream, where nothing is between them. */
function assistantMessageOf(item: JsonObject): AssistantMessage {
  const thought = [chatThought(item), ...blocksIn(item).map(thoughtIn)].filter(Boolean).join('\n');
  const text = textIn(item, '');
  const calls = callsIn(item);
  const agent = textOf(item['name']);
  return {
    role: 'assistant',
    ...(agent !== undefined && { agent }),
    ...(thought !== '' && { thought }),
    ...(text !== '' && { text }),
    calls,
  };
}
