import type { Usage } from '../record/conversation.ts';
import {
  type Format,
  type FormatReader,
  ignored,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  joinedText,
  listOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
} from '../record/json.ts';

const textDeltas = new Set(['response.output_text.delta', 'response.refusal.delta']);
const thoughtDeltas = new Set(['response.reasoning_summary_text.delta', 'response.reasoning_text.delta']);
const ends = new Set(['response.completed', 'response.failed', 'response.incomplete']);

/** Responses of the OpenAI Responses API, complete or streamed. A response can contain its conversation id. */
export const openaiResponses: Format = {
  name: 'openai-responses',
  title: 'an OpenAI response',
  keys: [
    'sequence_number',
    'response',
    'item',
    'item_id',
    'output_index',
    'output',
    'object',
    'previous_response_id',
  ],
  recognises: (record) =>
    (String(record['type']).startsWith('response.') &&
      ('sequence_number' in record || isObject(record['response']))) ||
    (record['object'] === 'response' && Array.isArray(record['output'])),
  createReader: (session) => new ResponsesReader(session),
};

class ResponsesReader implements FormatReader {
  readonly #fallback: string | undefined;
  #response: { readonly id: string; readonly stamp: Stamp } | undefined;

  constructor(session: string | undefined) {
    this.#fallback = session;
  }

  read(record: JsonObject): Reading {
    if (record['object'] === 'response') {
      const start = this.#begin(record);
      if (start === undefined) return ignored('response without a session');
      const items = listOf(record['output']).flatMap((item) => this.#readItem(objectOf(item), true));
      return reading([...start, ...items, ...this.#finish(record)]);
    }
    const type = String(record['type']);
    if (type === 'response.created') return this.#readingOf(this.#begin(objectOf(record['response'])), type);
    if (ends.has(type)) return this.#readingOf(this.#finish(objectOf(record['response'])), type);
    const stamp =
      this.#response?.stamp ?? (this.#fallback === undefined ? undefined : { sessionId: this.#fallback });
    const text = textOf(record['delta']);
    if (stamp === undefined) return ignored(`${type} without a session`);
    if (text !== undefined && textDeltas.has(type)) return reading([{ ...stamp, type: 'content', text }]);
    if (text !== undefined && thoughtDeltas.has(type)) return reading([{ ...stamp, type: 'thought', text }]);
    if (type === 'response.output_item.done')
      return this.#readingOf(this.#readItem(objectOf(record['item']), false), type);
    return ignored(type);
  }

  end(): SessionEvent[] {
    return this.#finish({});
  }

  #readingOf(events: SessionEvent[] | undefined, type: string): Reading {
    return events === undefined || events.length === 0 ? ignored(type) : reading(events);
  }

  #begin(response: JsonObject): SessionEvent[] | undefined {
    const { conversation } = response;
    const named = textOf(isObject(conversation) ? conversation['id'] : conversation);
    const sessionId = named ?? this.#fallback ?? textOf(response['prompt_cache_key']);
    if (sessionId === undefined) return undefined;
    const before = this.#finish({});
    const id = textOf(response['id']) ?? '';
    const stamp = { sessionId, time: timeOf(response['created_at']), model: textOf(response['model']) };
    this.#response = { id, stamp };
    return [...before, { ...stamp, id: `${id}.turn`, type: 'turn_started' }];
  }

  /** @param isWhole whether the response is complete, rather than streamed with its texts sent before */
  #readItem(item: JsonObject, isWhole: boolean): SessionEvent[] {
    const stamp = this.#response?.stamp ?? { sessionId: this.#fallback ?? '' };
    const id = textOf(item['id']);
    const type = String(item['type']);
    const text = joinedText(type === 'reasoning' ? item['summary'] : item['content']);
    if (type === 'message' || type === 'reasoning') {
      const kind = type === 'message' ? 'content' : 'thought';
      return isWhole && text !== '' ? [{ ...stamp, id, type: kind, text }] : [];
    }
    const callId = textOf(item['call_id']) ?? id;
    const name = textOf(item['name']);
    const isCall = type.endsWith('_call') && (name !== undefined || isObject(item['action']));
    if (!isCall) return [];
    const input = item['arguments'] ?? item['action'];
    const args =
      typeof input === 'string' ? input : 'input' in item ? { input: item['input'] } : { ...objectOf(input) };
    const call: SessionEvent = {
      ...stamp,
      id: `call:${callId ?? ''}`,
      type: 'tool_call_request',
      callId,
      name: name ?? type,
      args,
    };
    // The item of a tool that runs at the vendor contains its result.
    const result = item['error'] ?? item['output'];
    if (result === undefined || result === null) return [call];
    const isError = item['error'] !== undefined && item['error'] !== null;
    return [call, { ...stamp, id: `result:${callId ?? ''}`, type: 'tool_result', callId, result, isError }];
  }

  #finish(response: JsonObject): SessionEvent[] {
    const open = this.#response;
    this.#response = undefined;
    if (open === undefined) return [];
    return [
      { ...open.stamp, id: `${open.id}.end`, type: 'turn_finished', usage: usageOf(response['usage']) },
    ];
  }
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  return {
    inputTokens: numberOf(value['input_tokens']),
    outputTokens: numberOf(value['output_tokens']),
    cachedInputTokens: numberOf(objectOf(value['input_tokens_details'])['cached_tokens']),
    reasoningTokens: numberOf(objectOf(value['output_tokens_details'])['reasoning_tokens']),
  };
}
