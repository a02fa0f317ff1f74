import type { Usage } from '../record/conversation.ts';
import {
  type Format,
  type FormatReader,
  ignored,
  pending,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { PendingCalls } from './pending-calls.ts';

/** Responses of the OpenAI Chat API, complete or in chunks. The usage comes in a separate chunk after the last choice. */
export const openaiChat: Format = {
  name: 'openai-chat',
  title: 'an OpenAI Chat response',
  keys: ['id', 'object', 'created', 'model', 'choices', 'system_fingerprint'],
  recognises: ({ object, choices }) =>
    (object === 'chat.completion.chunk' || object === 'chat.completion') && Array.isArray(choices),
  createReader: (session) => new OpenaiChatReader(session),
};

class OpenaiChatReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #calls = new PendingCalls();
  /** The response that has not ended yet. */
  #open: { readonly id: string; stamp: Stamp } | undefined;

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const sessionId = this.#session;
    if (sessionId === undefined) return ignored(`${String(record['object'])} without a session`);
    const id = textOf(record['id']) ?? '';
    const stamp = { sessionId, time: timeOf(record['created']), model: textOf(record['model']) };
    const usage = usageOf(record['usage']);
    const events = this.#begin(id, stamp);
    for (const choice of listOf(record['choices']))
      events.push(...this.#readChoice(id, objectOf(choice), stamp));
    // Some producers report the usage together with the last choice.
    const isOver = listOf(record['choices']).every(
      (choice) => 'message' in objectOf(choice) || typeof objectOf(choice)['finish_reason'] === 'string',
    );
    if (usage !== undefined && isOver) events.push(...this.#finish(usage));
    if (events.length > 0) return reading(events);
    return listOf(record['choices']).some(hasCallChunks) ? pending : ignored(String(record['object']));
  }

  end(): SessionEvent[] {
    return this.#finish();
  }

  #begin(id: string, stamp: Stamp): SessionEvent[] {
    if (this.#open?.id === id) return [];
    const before = this.#finish();
    this.#open = { id, stamp };
    return [...before, { ...stamp, id: `${id}.turn`, type: 'turn_started' }];
  }

  #finish(usage?: Usage): SessionEvent[] {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? [] : [{ ...open.stamp, id: `${open.id}.end`, type: 'turn_finished', usage }];
  }

  #readChoice(id: string, choice: JsonObject, stamp: Stamp): SessionEvent[] {
    const events: SessionEvent[] = [];
    const key = JSON.stringify([id, choice['index'] ?? 0]);
    // A complete response is read like a single chunk, but its parts have ids.
    const { message } = choice;
    const delta = objectOf(message ?? choice['delta']);
    const idOf = (part: string) => (message === undefined ? undefined : `${key}.${part}`);
    const thought = textOf(delta['reasoning_content']) ?? textOf(delta['reasoning']);
    const text = textOf(delta['content']);
    if (thought !== undefined) events.push({ ...stamp, id: idOf('thought'), type: 'thought', text: thought });
    if (text !== undefined) events.push({ ...stamp, id: idOf('text'), type: 'content', text });
    for (const [i, value] of listOf(delta['tool_calls']).entries()) {
      const call = objectOf(value);
      const inner = objectOf(call['function'] ?? call['custom']);
      const args = textOf(inner['arguments']) ?? textOf(inner['input']) ?? '';
      const callKey = `${key}:${String(numberOf(call['index']) ?? i)}`;
      this.#calls.add(callKey, textOf(call['id']), textOf(inner['name']), args);
    }
    if (message !== undefined || typeof choice['finish_reason'] === 'string')
      events.push(...this.#calls.take(key, stamp));
    return events;
  }
}

function hasCallChunks(choice: unknown): boolean {
  return listOf(objectOf(objectOf(choice)['delta'])['tool_calls']).length > 0;
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  return {
    inputTokens: numberOf(value['prompt_tokens']) ?? 0,
    outputTokens: numberOf(value['completion_tokens']) ?? 0,
    cachedInputTokens: numberOf(objectOf(value['prompt_tokens_details'])['cached_tokens']),
    reasoningTokens: numberOf(objectOf(value['completion_tokens_details'])['reasoning_tokens']),
  };
}
