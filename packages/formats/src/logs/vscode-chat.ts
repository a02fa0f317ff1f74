import {
  type Format,
  type FormatReader,
  pending,
  type Reading,
  reading,
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
  unwrapped,
} from '../record/json.ts';
import type { Message } from '../record/message.ts';
import { MessageLog } from '../record/message-log.ts';
import { plainResult } from '../wire/result.ts';

/** Changes of a session's log: the whole session, a field, an end of a list, and a field's removal. */
const changes = { whole: 0, set: 1, push: 2, remove: 3 } as const;
/** Fields of a change's path. */
const MAX_DEPTH = 32;

/**
 * Chats of Visual Studio Code: a session or an export as one document, and the log of changes that newer versions store
 * (`chatSessions/*.jsonl`), of which only the outcome is read. Sources: `IChatToolInvocationSerialized` in microsoft/vscode
 * `src/vs/workbench/contrib/chat/common`, and `model/objectMutationLog.ts` beside it.
 */
export const vscodeChat: Format = {
  name: 'vscode-chat',
  title: 'a chat of Visual Studio Code',
  keys: [
    'version',
    'requests',
    'responderUsername',
    'initialLocation',
    'creationDate',
    'lastMessageDate',
    'sessionId',
  ],
  recognizes: (record) => isChat(record) || isChange(record),
  createReader: (session) => new ChatReader(session),
};

function isChat(record: JsonObject): boolean {
  return Array.isArray(record['requests']) && ('responderUsername' in record || 'sessionId' in record);
}

function isChange({ kind, k, v }: JsonObject): boolean {
  if (kind === changes.whole) return isChat(objectOf(v));
  return Array.isArray(k) && (kind === changes.set || kind === changes.push || kind === changes.remove);
}

class ChatReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #log = new MessageLog();
  /** The session as far as its log tells. */
  #state: unknown;

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    if (!isChange(record)) return reading(this.#eventsOf(record));
    const { kind, k, v, i } = record;
    if (kind === changes.whole) this.#state = v;
    else
      this.#state = changed(this.#state, listOf(k), (old) => {
        if (kind === changes.push)
          return [...listOf(old).slice(0, typeof i === 'number' ? i : undefined), ...listOf(v)];
        return kind === changes.set ? v : undefined;
      });
    return pending;
  }

  end(): SessionEvent[] {
    const state = objectOf(this.#state);
    this.#state = undefined;
    return this.#eventsOf(state);
  }

  #eventsOf(chat: JsonObject): SessionEvent[] {
    const sessionId = textOf(chat['sessionId']) ?? this.#session;
    if (sessionId === undefined) return [];
    return listOf(chat['requests']).flatMap((value) => {
      const request = objectOf(value);
      const model = textOf(request['modelId'])?.replace(/^copilot\//, '');
      const stamp = { sessionId, agent: 'vscode', time: timeOf(request['timestamp']), model };
      return this.#log.read(messagesOf(request), stamp, textOf(request['requestId']));
    });
  }
}

/** A copy of a value with a change at a path; unchanged if nothing is there. */
function changed(value: unknown, path: readonly unknown[], change: (old: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (path.length === 0 || path.length > MAX_DEPTH) return change(value);
  if (Array.isArray(value) && typeof key === 'number')
    return value.map((one, i) => (i === key ? changed(one, rest, change) : (one as unknown)));
  if (!isObject(value)) return value;
  return { ...value, [nameOf(key)]: changed(value[nameOf(key)], rest, change) };
}

function messagesOf(request: JsonObject): Message[] {
  const metadata = objectOf(objectOf(request['result'])['metadata']);
  const messages: Message[] = [{ role: 'user', text: textOf(objectOf(request['message'])['text']) ?? '' }];
  for (const value of listOf(request['response'])) {
    const part = objectOf(value);
    const { kind, value: shown } = part;
    const text = Array.isArray(shown) ? listOf(shown).map(nameOf).join('') : textOf(shown);
    if (kind === 'toolInvocationSerialized') messages.push(...callMessages(part, metadata));
    else if (kind === 'thinking' && text !== undefined && text !== '')
      messages.push({ role: 'assistant', thought: text, calls: [] });
    else if (kind === undefined && text !== undefined) messages.push({ role: 'assistant', text, calls: [] });
  }
  return messages;
}

/** What is shown of a call lacks its arguments or its result where a tool shows them in its own way; the metadata may have them. */
function callMessages(part: JsonObject, metadata: JsonObject): Message[] {
  const id = textOf(part['toolCallId']) ?? null;
  const details = objectOf(part['resultDetails']);
  const specific = objectOf(part['toolSpecificData']);
  const call = listOf(metadata['toolCallRounds'])
    .flatMap((round) => listOf(objectOf(round)['toolCalls']))
    .map(objectOf)
    .find((one) => id !== null && one['id'] === id);
  const { original, toolEdited, userEdited } = objectOf(specific['commandLine']);
  const command = userEdited ?? toolEdited ?? original;
  const given = call?.['arguments'] ?? details['input'] ?? (command === undefined ? undefined : { command });
  const args = unwrapped(given);
  const name = textOf(call?.['name']) ?? textOf(part['toolId']) ?? '';
  const stored = id === null ? {} : objectOf(objectOf(metadata['toolCallResults'])[id]);
  const parts = listOf(Array.isArray(details['output']) ? listOf(details['output']) : stored['content']);
  const texts = parts.map((one) => ({ text: objectOf(one)['value'] }));
  const result = texts.length > 0 ? plainResult(texts) : objectOf(specific['terminalCommandOutput'])['text'];
  const { exitCode } = objectOf(specific['terminalCommandState']);
  const hasFailed = details['isError'] === true || (numberOf(exitCode) ?? 0) !== 0;
  return [
    {
      role: 'assistant',
      calls: [
        {
          id,
          name,
          args: isObject(args) ? args : (textOf(args) ?? {}),
          hasUnknownArgs: given === undefined,
        },
      ],
    },
    { role: 'tool', results: [{ id, result: result ?? '', isError: hasFailed ? true : undefined }] },
  ];
}
