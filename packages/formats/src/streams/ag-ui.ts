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
import { type JsonObject, joinedText, listOf, nameOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { remember } from '../record/remember.ts';
import { Turns } from '../record/turns.ts';
import { readMessage } from '../wire/messages.ts';
import { PendingCalls } from './pending-calls.ts';

const types =
  /^(?:RUN_(?:STARTED|FINISHED|ERROR)|STEP_(?:STARTED|FINISHED)|TEXT_MESSAGE_(?:START|CONTENT|END|CHUNK)|TOOL_CALL_(?:START|ARGS|END|CHUNK|RESULT)|STATE_(?:SNAPSHOT|DELTA)|MESSAGES_SNAPSHOT|ACTIVITY_(?:SNAPSHOT|DELTA)|(?:REASONING|THINKING)_\w+|RAW|CUSTOM)$/;
const texts = new Set(['TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_CHUNK']);
const thoughts = new Set([
  'REASONING_MESSAGE_CONTENT',
  'REASONING_MESSAGE_CHUNK',
  'THINKING_TEXT_MESSAGE_CONTENT',
]);

/** Events of the AG-UI protocol. Only run events contain the thread id. */
export const agUi: Format = {
  name: 'ag-ui',
  title: 'an AG-UI stream',
  keys: ['threadId', 'runId', 'messageId', 'toolCallId', 'toolCallName', 'delta', 'rawEvent'],
  recognizes: ({ type }) => typeof type === 'string' && types.test(type),
  createReader: (session) => new AgUiReader(session),
};

/** Ids of calls and results to remember. */
const MAX_REPORTED = 10_000;

class AgUiReader implements FormatReader {
  #sessionId: string | undefined;
  readonly #turns = new Turns();
  readonly #calls = new PendingCalls();
  /** The call that chunks without an id belong to. */
  #chunked: string | undefined;
  /** Calls and results that were reported. */
  readonly #reported = new Map<string, true>();

  constructor(session: string | undefined) {
    this.#sessionId = session;
  }

  read(record: JsonObject): Reading {
    const type = nameOf(record['type']);
    this.#sessionId = textOf(record['threadId']) ?? this.#sessionId;
    if (this.#sessionId === undefined) return ignored(`${type} without a session`);
    const stamp = { sessionId: this.#sessionId, time: timeOf(record['timestamp']) };
    const isChunk = type === 'TOOL_CALL_CHUNK';
    const callId = textOf(record['toolCallId']) ?? (isChunk ? this.#chunked : undefined);
    const key = `${callId ?? ''}\n`;
    const delta = textOf(record['delta']);
    if (delta !== undefined && (texts.has(type) || thoughts.has(type))) {
      const kind = texts.has(type) ? 'content' : 'thought';
      return reading([...this.#turns.output(stamp, undefined), { ...stamp, type: kind, text: delta }]);
    }
    switch (type) {
      case 'RUN_STARTED': {
        const latest = listOf(objectOf(record['input'])['messages']).map(objectOf).at(-1);
        const text = latest?.['role'] === 'user' ? joinedText(latest['content']) : undefined;
        return reading([...this.#turns.finish(stamp, undefined), { ...stamp, type: 'prompt_started', text }]);
      }
      case 'RUN_FINISHED':
      case 'RUN_ERROR': {
        const events = [...this.#take('', stamp), ...this.#turns.finish(stamp, undefined)];
        return events.length === 0 ? ignored(type) : reading(events);
      }
      case 'TOOL_CALL_START':
      case 'TOOL_CALL_ARGS':
      case 'TOOL_CALL_CHUNK': {
        // Calls in chunks have no end event.
        const isNext = isChunk && this.#chunked !== undefined && this.#chunked !== callId;
        const before = isNext ? this.#take(`${this.#chunked ?? ''}\n`, stamp) : [];
        if (isChunk) this.#chunked = callId;
        this.#calls.add(key, callId, textOf(record['toolCallName']), delta ?? '');
        return before.length === 0 ? pending : reading(before);
      }
      case 'TOOL_CALL_END': {
        const calls = this.#take(key, stamp);
        return calls.length === 0 ? ignored(type) : reading(calls);
      }
      case 'MESSAGES_SNAPSHOT':
        return this.#readSnapshot(listOf(record['messages']), stamp);
      case 'TOOL_CALL_RESULT': {
        const before = this.#take(key, stamp);
        this.#turns.toolResult(stamp);
        if (callId !== undefined) this.#report(`result:${callId}`);
        const id = callId === undefined ? undefined : `result:${callId}`;
        return reading([
          ...before,
          { ...stamp, id, type: 'tool_result', callId, result: record['content'] ?? '' },
        ]);
      }
      default:
        return ignored(type);
    }
  }

  end(): SessionEvent[] {
    const left = this.#sessionId === undefined ? [] : this.#take('', { sessionId: this.#sessionId });
    return [...left, ...this.#turns.end()];
  }

  /** The calls whose keys have this prefix, which are now complete, after the start of their turn. */
  #take(prefix: string, stamp: Stamp): SessionEvent[] {
    const calls = this.#calls.take(prefix, stamp);
    for (const { id } of calls) this.#report(id ?? '');
    return calls.length === 0 ? [] : [...this.#turns.output(stamp, undefined), ...calls];
  }

  /** Some agents do not stream their calls: only snapshots of the conversation, each with all messages so far, have them. */
  #readSnapshot(messages: readonly unknown[], stamp: Stamp): Reading {
    const events = messages.flatMap(readMessage).flatMap((message): SessionEvent[] => {
      if (message.role === 'assistant')
        return message.calls.flatMap(({ id: callId, name, args }) => {
          const given = typeof args === 'string' ? args : { ...args };
          const call = { ...stamp, type: 'tool_call_request', name, args: given } as const;
          return callId === null ? [] : { ...call, id: `call:${callId}`, callId };
        });
      if (message.role !== 'tool') return [];
      return message.results.flatMap(({ id: callId, result, isError }) => {
        const event = { ...stamp, type: 'tool_result', result, isError } as const;
        return callId === null ? [] : { ...event, id: `result:${callId}`, callId };
      });
    });
    const added = events.filter(({ id }) => this.#report(id ?? ''));
    return added.length === 0 ? ignored('MESSAGES_SNAPSHOT') : reading(added);
  }

  /** @returns whether it is new */
  #report(id: string): boolean {
    const isNew = !this.#reported.has(id);
    remember(this.#reported, id, true, MAX_REPORTED);
    return isNew;
  }
}
