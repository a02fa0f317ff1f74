import { anthropicUsage } from '../record/anthropic-usage.ts';
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
import { type JsonObject, listOf, objectOf, textOf } from '../record/json.ts';
import { PendingCalls } from './pending-calls.ts';

const streamed = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping)$/;

/** Responses of the Anthropic Messages API, complete or streamed. They contain no session id. */
export const anthropic: Format = {
  name: 'anthropic',
  title: 'an Anthropic Messages response',
  keys: ['id', 'type', 'role', 'content', 'stop_reason', 'stop_sequence', 'content_block', 'delta', 'index'],
  recognises: (record) =>
    streamed.test(String(record['type'])) ||
    (record['type'] === 'message' && record['role'] === 'assistant' && Array.isArray(record['content'])),
  createReader: (session) => new AnthropicReader(session),
};

class AnthropicReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #calls = new PendingCalls();
  #message: { readonly id: string; readonly stamp: Stamp; readonly usage: JsonObject } | undefined;

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const type = String(record['type']);
    if (this.#session === undefined) return ignored(`${type} without a session`);
    if (type === 'message')
      return reading([...this.#begin(record), ...this.#blocks(record), ...this.#finish({})]);
    if (type === 'message_start') return reading(this.#begin(objectOf(record['message'])));
    const stamp = this.#message?.stamp ?? { sessionId: this.#session };
    const index = `${String(record['index'])}\n`;
    switch (type) {
      case 'content_block_start': {
        const block = objectOf(record['content_block']);
        if (!isCall(block)) return ignored(`content_block_start (${String(block['type'])})`);
        this.#calls.add(index, textOf(block['id']), textOf(block['name']), '');
        return pending;
      }
      case 'content_block_delta': {
        const delta = objectOf(record['delta']);
        const args = textOf(delta['partial_json']);
        if (args !== undefined) this.#calls.add(index, undefined, undefined, args);
        if (delta['type'] === 'input_json_delta') return pending;
        const event = textEvent(delta);
        return event === undefined
          ? ignored(`content_block_delta (${String(delta['type'])})`)
          : reading([{ ...stamp, ...event }]);
      }
      case 'content_block_stop':
        return reading(this.#calls.take(index, stamp));
      case 'message_delta':
        return reading(this.#finish(objectOf(record['usage'])));
      default:
        return ignored(type);
    }
  }

  end(): SessionEvent[] {
    return this.#finish({});
  }

  #begin(message: JsonObject): SessionEvent[] {
    const id = textOf(message['id']) ?? '';
    const stamp = { sessionId: this.#session ?? '', model: textOf(message['model']) };
    const before = this.#finish({});
    this.#message = { id, stamp, usage: objectOf(message['usage']) };
    return [...before, { ...stamp, id: suffixed(id, 'turn'), type: 'turn_started' }];
  }

  #blocks(message: JsonObject): SessionEvent[] {
    const stamp = this.#message?.stamp ?? { sessionId: this.#session ?? '' };
    return listOf(message['content']).flatMap((value, i): SessionEvent[] => {
      const block = objectOf(value);
      const event = textEvent(block);
      if (event !== undefined)
        return [{ ...stamp, id: suffixed(this.#message?.id ?? '', String(i)), ...event }];
      if (!isCall(block)) return [];
      const callId = textOf(block['id']);
      const id = callId === undefined ? undefined : `call:${callId}`;
      const args = { ...objectOf(block['input']) };
      return [{ ...stamp, id, type: 'tool_call_request', callId, name: textOf(block['name']) ?? '', args }];
    });
  }

  /** @param finalUsage counts that are only known at the end */
  #finish(finalUsage: JsonObject): SessionEvent[] {
    const message = this.#message;
    this.#message = undefined;
    if (message === undefined) return [];
    const reported = { ...message.usage, ...finalUsage };
    const usage = Object.keys(reported).length === 0 ? undefined : anthropicUsage(reported);
    return [{ ...message.stamp, id: suffixed(message.id, 'end'), type: 'turn_finished', usage }];
  }
}

function isCall({ type }: JsonObject): boolean {
  return type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use';
}

function textEvent(block: JsonObject): { type: 'content' | 'thought'; text: string } | undefined {
  const text = textOf(block['text']);
  const thought = textOf(block['thinking']);
  if (text !== undefined) return { type: 'content', text };
  return thought === undefined ? undefined : { type: 'thought', text: thought };
}

function suffixed(id: string, suffix: string): string | undefined {
  return id === '' ? undefined : `${id}.${suffix}`;
}
