import { Conversations, type Message, MessageLog } from '../record/conversation.ts';
import {
  type Format,
  type FormatReader,
  ignored,
  type Reading,
  type SessionEvent,
} from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  listOf,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
} from '../record/json.ts';
import { geminiUsage } from '../wire/gemini.ts';
import { messagesFrom, readMessage, unknownBlocks, unwrappedMessage } from '../wire/messages.ts';
import { unknownCalls } from '../wire/openai-responses.ts';
import { usageOf } from '../wire/usage.ts';
import { hasTextResults, readTextCalls } from './cline-xml.ts';
import { commandReader, hasCommandResults, isCommandTrajectory } from './shell-commands.ts';

/**
 * Conversations as lists of Chat messages, Responses items or Gemini's contents, as in requests to a model or the state of a
 * LangGraph thread: each list repeats the previous one and adds to it. Or one message per record, as Kimi CLI
 * (`context.jsonl`) and Mistral Vibe (`messages.jsonl`) write them, or one per file, as Strands stores its sessions.
 */
export const messages: Format = {
  name: 'messages',
  title: 'a list of chat messages',
  keys: [
    'messages',
    'input',
    'contents',
    'values',
    'model',
    'tools',
    'conversation_id',
    'thread_id',
    'temperature',
  ],
  recognizes: (record) =>
    (isCommandTrajectory(record) || !foreignKeys.some((key) => key in record)) &&
    (listIn(record) !== undefined || isSingle(record) || isStored(record)),
  createReader: (session) => new MessagesReader(session),
};

/** Keys of other producers whose records also contain lists of messages, or a role. */
const foreignKeys = [
  'type',
  'info',
  'sessionId',
  'sessionID',
  'projectHash',
  'call_type',
  'run_type',
  'traceId',
  'event',
  'specversion',
  'resourceSpans',
  'attributes',
  'object',
  'v',
  'stop_reason',
];
/** Keys of other producers whose records are one message each. */
const foreignSingles = ['created', 'uuid', 'message', 'time'];

/** Roles of a message, and of the records that Kimi CLI adds to them. */
const roles = /^(?:system|developer|user|human|assistant|ai|model|tool|function|_\w+)$/;

function isSingle(record: JsonObject): boolean {
  return (
    !foreignSingles.some((key) => key in record) &&
    roles.test(nameOf(record['role'])) &&
    (typeof record['content'] === 'string' ||
      Array.isArray(record['content']) ||
      Array.isArray(record['tool_calls']) ||
      nameOf(record['role']).startsWith('_'))
  );
}

/** Whether it is a message in a session of Strands. Source: `strands/types/session.py`. */
function isStored(record: JsonObject): boolean {
  return 'message_id' in record && isSingle(objectOf(record['message']));
}

/** The messages that a record lists; undefined if it lists none. */
function listIn(record: JsonObject): readonly unknown[] | undefined {
  const request = objectOf(record['request'] ?? record['full_request']);
  const response = objectOf(record['response'] ?? record['full_response']);
  const lists = [
    record['messages'],
    record['input'],
    objectOf(record['values'])['messages'],
    record['contents'],
  ];
  const list = lists.find(isList);
  if (list !== undefined) return list;
  if (!isList(request['contents'])) return undefined;
  const answer = objectOf(objectOf(listOf(response['candidates'])[0])['content']);
  return [
    ...request['contents'],
    ...(isObject(answer) && 'parts' in answer ? [{ role: 'model', ...answer }] : []),
  ];
}

function isList(value: unknown): value is readonly unknown[] {
  return listOf(value).some(
    (item) =>
      isObject(item) &&
      ('role' in item ||
        'kwargs' in item ||
        /^(?:human|ai|tool)$|_call(?:_output)?$/.test(nameOf(item['type']))),
  );
}

class MessagesReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #conversations = new Conversations();
  readonly #log = new MessageLog();

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const list = listIn(record);
    const own = sessionOf(record) ?? (list === undefined ? undefined : textOf(record['id']));
    const sessionId = own ?? this.#session;
    if (sessionId === undefined) return ignored('messages without a session');
    const stamp = {
      sessionId,
      time: timeOf(record['created_at'] ?? record['created'] ?? record['timestamp']),
      model: textOf(record['model']),
    };
    if (list === undefined) {
      const message = isStored(record) ? (record['redact_message'] ?? record['message']) : record;
      const read = stated(message);
      const events = this.#log.read(read, stamp, undefined);
      if (events.length === 0) return ignored(`message (${nameOf(objectOf(message)['role'])})`);
      return understood(events, read, unknownBlocks(message));
    }
    const readOne = readerOf(list);
    const read = messagesFrom(list, (message) => stated(message, readOne));
    const events = this.#conversations.read(withAnswerUsage(read, record), stamp);
    return understood(events, read, [...unknownCalls(list), ...list.flatMap(unknownBlocks)]);
  }

  end(): [] {
    return [];
  }
}

/** Some agents have calls and results in the texts of their messages. */
function readerOf(list: readonly unknown[]): (message: unknown) => readonly Message[] {
  if (hasTextResults(list)) return readTextCalls;
  return hasCommandResults(list) ? commandReader() : readMessage;
}

/** Messages with the time, usage and cost that they name themselves, as histories of agents do. */
function stated(value: unknown, read = readMessage): readonly Message[] {
  const item = unwrappedMessage(value);
  const extra = objectOf(item['extra']);
  const time = timeOf(item['ts'] ?? item['timestamp'] ?? item['created_at'] ?? extra['timestamp']);
  const usage = usageOf(
    item['usage_metadata'] ??
      item['usage'] ??
      objectOf(item['response_metadata'])['token_usage'] ??
      objectOf(extra['response'])['usage'],
  );
  // A cost of 0 is that of a subscription, or unknown.
  const costUsd = numberOf(item['cost']) || undefined;
  if (time === undefined && usage === undefined && costUsd === undefined) return read(value);
  return read(value).map((message) => ({
    ...message,
    ...(time !== undefined && { time }),
    ...(message.role === 'assistant' && { usage, costUsd }),
  }));
}

/** @param unknown types of blocks that may be the calls, if the messages have none */
function understood(
  events: readonly SessionEvent[],
  list: readonly Message[],
  unknown: readonly string[],
): Reading {
  const hasCalls = list.some((message) => message.role === 'assistant' && message.calls.length > 0);
  return { events, ignored: unknown, isUnknown: unknown.length > 0 && !hasCalls };
}

/** The usage in a logged response belongs to the last message. */
function withAnswerUsage(list: readonly Message[], record: JsonObject): readonly Message[] {
  const usage = geminiUsage(objectOf(record['response'] ?? record['full_response'])['usageMetadata']);
  const last = list.at(-1);
  return usage === undefined || last?.role !== 'assistant'
    ? list
    : [...list.slice(0, -1), { ...last, usage }];
}

function sessionOf(record: JsonObject): string | undefined {
  const { conversation } = record;
  const metadata = objectOf(record['metadata']);
  const configurable = objectOf(objectOf(record['config'])['configurable']);
  const named = [
    record['session_id'],
    record['conversation_id'],
    isObject(conversation) ? conversation['id'] : conversation,
    record['thread_id'],
    configurable['thread_id'],
    objectOf(record['checkpoint'])['thread_id'],
    metadata['session_id'],
    metadata['conversation_id'],
    metadata['thread_id'],
  ];
  return named.map(textOf).find((id) => id !== undefined);
}
