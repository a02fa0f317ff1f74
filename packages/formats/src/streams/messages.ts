import { Conversations } from '../record/conversation.ts';
import { type Format, type FormatReader, ignored, type Reading } from '../record/format.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { messagesFrom } from '../wire/messages.ts';
import { unknownCalls } from '../wire/openai-responses.ts';

/**
 * Conversations as lists of Chat messages or Responses items, as in requests to a model: each list repeats the previous
 * one and adds to it.
 */
export const messages: Format = {
  name: 'messages',
  title: 'a list of chat messages',
  keys: ['messages', 'input', 'model', 'tools', 'conversation_id', 'thread_id', 'temperature'],
  recognizes: (record) =>
    !foreignKeys.some((key) => key in record) && (isList(record['messages']) || isList(record['input'])),
  createReader: (session) => new MessagesReader(session),
};

/** Keys of other producers whose records also contain lists of messages. */
const foreignKeys = [
  'type',
  'info',
  'sessionId',
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
];

function isList(value: unknown): boolean {
  return listOf(value).some(
    (item) =>
      isObject(item) &&
      ('role' in item || 'kwargs' in item || /_call(?:_output)?$/.test(String(item['type']))),
  );
}

class MessagesReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #conversations = new Conversations();

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const sessionId = sessionOf(record) ?? this.#session;
    if (sessionId === undefined) return ignored('messages without a session');
    const list = isList(record['messages']) ? record['messages'] : record['input'];
    const stamp = {
      sessionId,
      time: timeOf(record['created_at'] ?? record['created'] ?? record['timestamp']),
      model: textOf(record['model']),
    };
    const events = this.#conversations.read(messagesFrom(listOf(list)), stamp);
    return { events, ignored: unknownCalls(listOf(list)) };
  }

  end(): [] {
    return [];
  }
}

function sessionOf(record: JsonObject): string | undefined {
  const { conversation } = record;
  const metadata = objectOf(record['metadata']);
  const named = [
    record['session_id'],
    record['conversation_id'],
    isObject(conversation) ? conversation['id'] : conversation,
    record['thread_id'],
    metadata['session_id'],
    metadata['conversation_id'],
    metadata['thread_id'],
    record['id'],
  ];
  return named.map(textOf).find((id) => id !== undefined);
}
