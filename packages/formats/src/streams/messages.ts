import { Conversations } from '../record/conversation.ts';
import {
  type Format,
  type FormatReader,
  ignored,
  pending,
  type Reading,
  reading,
  type SessionEvent,
} from '../record/format.ts';
import { isObject, type JsonObject, nameOf, numberOf, objectOf, textOf, timeOf } from '../record/json.ts';
import type { Message } from '../record/message.ts';
import { MessageLog } from '../record/message-log.ts';
import { answerBeside, messageListIn } from '../wire/exchanges.ts';
import { answerIn } from '../wire/logged-answers.ts';
import {
  isLangChainMessage,
  messagesFrom,
  readMessage,
  unknownBlocks,
  unwrappedMessage,
} from '../wire/messages.ts';
import { unknownCalls } from '../wire/openai-responses.ts';
import { usageOf } from '../wire/usage.ts';
import { hasTextResults, readTextCalls } from './cline-xml.ts';
import { isMessageRecord, isOllama, isOwn, isStored, updatesIn } from './message-records.ts';
import { commandReader, hasCommandResults } from './shell-commands.ts';

/**
 * Conversations as lists of Chat messages, Responses items or Gemini's contents, as in requests to a model or the state of a
 * LangGraph thread: each list repeats the previous one and adds to it. Or one message per record, as Kimi CLI
 * (`context.jsonl`) and Mistral Vibe (`messages.jsonl`) write them, or one per file, as Strands stores its sessions. Or a request
 * with the answer to it.
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
  recognizes: (record) => isMessageRecord(record),
  createReader: (session) => new MessagesReader(session),
};

/** Names of a record's time, in the order of preference. */
const times = ['created_at', 'created', 'timestamp', 'request_created_at', 'started_at', 'startedDateTime'];

class MessagesReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #conversations = new Conversations({ hasStableArgs: false });
  readonly #log = new MessageLog();
  /** Of a streamed response of Ollama. */
  readonly #pieces: JsonObject[] = [];

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const found = messageListIn(record);
    const answer = found === undefined ? [] : answerBeside(record);
    // The id of a request is not that of its conversation.
    const own = found === undefined || answer.length > 0 ? undefined : textOf(record['id']);
    const named = sessionOf(record) ?? sessionOf(found?.request ?? {}) ?? own ?? textOf(record['trace_id']);
    const sessionId = named ?? this.#session;
    if (sessionId === undefined) return ignored('messages without a session');
    const stamp = {
      sessionId,
      time: times.map((name) => timeOf(record[name])).find((time) => time !== undefined),
      model: textOf(record['model']) ?? textOf(found?.request['model']) ?? textOf(record['modelId']),
    };
    if (isOllama(record)) {
      this.#pieces.push(record);
      if (record['done'] !== true) return pending;
      return reading(this.#log.read(answerIn(this.#pieces.splice(0)), stamp, undefined));
    }
    if (found === undefined && isOwn(record) && !isLangChainMessage(record))
      return ignored(textOf(record['type']) ?? 'metadata');
    const updates = found === undefined ? updatesIn(record) : undefined;
    if (updates !== undefined)
      return reading(
        this.#log.read(
          updates.flatMap((message) => stated(message)),
          stamp,
          undefined,
        ),
      );
    if (found === undefined) {
      const message = isStored(record) ? (record['redact_message'] ?? record['message']) : record;
      const read = stated(message);
      const events = this.#log.read(read, stamp, undefined);
      if (events.length === 0) return ignored(`message (${nameOf(objectOf(message)['role'])})`);
      return understood(events, read, unknownBlocks(message));
    }
    const { list } = found;
    const readOne = readerOf(list);
    const given = messagesFrom(list, (message) => stated(message, readOne));
    const sent = stamp.time === undefined ? given.map(withReminder) : given;
    const read = isRepeated(answer, sent) ? sent : [...sent, ...answer];
    // A record with an answer is a request, which may be made again.
    const isWhole = named === undefined && answer.length === 0;
    const events = isWhole
      ? this.#conversations.readUnnamed(read, stamp)
      : this.#conversations.read(read, stamp);
    return understood(events, read, [...unknownCalls(list), ...list.flatMap(unknownBlocks)]);
  }

  end(): [] {
    return [];
  }
}

/** Where no time tells how soon a prompt followed a result, a person's would follow the answer to the result. */
function withReminder(message: Message, i: number, list: readonly Message[]): Message {
  const isReminder = message.role === 'user' && message.time === undefined && list[i - 1]?.role === 'tool';
  return isReminder ? { ...message, origin: 'harness' } : message;
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

/** Whether a list of messages ends with the answer to those before it, which the record has again. */
function isRepeated(answer: readonly Message[], sent: readonly Message[]): boolean {
  const idsIn = (list: readonly Message[]) =>
    list.flatMap((message) => (message.role === 'assistant' ? message.calls.map(({ id }) => id) : []));
  const known = new Set(idsIn(sent));
  const ids = idsIn(answer);
  if (ids.length > 0 && !ids.includes(null)) return ids.every((id) => known.has(id));
  return sent.at(-1)?.role === 'assistant';
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
    objectOf(record['requestMetadata'])['sessionId'],
    objectOf(record['request_properties'])['Helicone-Session-Id'],
  ];
  return named.map(textOf).find((id) => id !== undefined);
}
