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
const MAX_THREADS = 1000;

/** What is open in a thread. */
class Thread {
  readonly turns = new Turns();
  /** The call that chunks without an id belong to. */
  chunked: string | undefined;
}

class AgUiReader implements FormatReader {
  #latest: string | undefined;
  readonly #threads = new Map<string, Thread>();
  /** Threads of the runs that have not ended, the latest last. */
  readonly #running = new Map<string, true>();
  /** Threads of messages and calls, which do not name theirs. */
  readonly #threadOf = new Map<string, string>();
  readonly #calls = new PendingCalls();
  /** Calls and results that were reported. */
  readonly #reported = new Map<string, true>();

  constructor(session: string | undefined) {
    this.#latest = session;
  }

  read(record: JsonObject): Reading {
    const type = nameOf(record['type']);
    const sessionId = this.#sessionOf(record);
    if (sessionId === undefined) return ignored(`${type} without a session`);
    const stamp = { sessionId, time: timeOf(record['timestamp']) };
    const thread = this.#thread(sessionId);
    const isChunk = type === 'TOOL_CALL_CHUNK';
    const callId = textOf(record['toolCallId']) ?? (isChunk ? thread.chunked : undefined);
    const key = keyOf(sessionId, callId);
    const delta = textOf(record['delta']);
    if (delta !== undefined && (texts.has(type) || thoughts.has(type))) {
      const kind = texts.has(type) ? 'content' : 'thought';
      return reading([...thread.turns.output(stamp, undefined), { ...stamp, type: kind, text: delta }]);
    }
    switch (type) {
      case 'RUN_STARTED': {
        remember(this.#running, sessionId, true, MAX_THREADS);
        const latest = listOf(objectOf(record['input'])['messages']).map(objectOf).at(-1);
        const text = latest?.['role'] === 'user' ? joinedText(latest['content']) : undefined;
        return reading([
          ...thread.turns.finish(stamp, undefined),
          { ...stamp, type: 'prompt_started', text },
        ]);
      }
      case 'RUN_FINISHED':
      case 'RUN_ERROR': {
        this.#running.delete(sessionId);
        const events = [...this.#take(`${sessionId}\n`, stamp), ...thread.turns.finish(stamp, undefined)];
        return events.length === 0 ? ignored(type) : reading(events);
      }
      case 'TOOL_CALL_START':
      case 'TOOL_CALL_ARGS':
      case 'TOOL_CALL_CHUNK': {
        // Calls in chunks have no end event.
        const isNext = isChunk && thread.chunked !== undefined && thread.chunked !== callId;
        const before = isNext ? this.#take(keyOf(sessionId, thread.chunked), stamp) : [];
        if (isChunk) thread.chunked = callId;
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
        thread.turns.toolResult(stamp);
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

  /** The thread that an event names, or that of its call or message, or else of the latest run that has not ended. */
  #sessionOf(record: JsonObject): string | undefined {
    const ids = ['toolCallId', 'messageId', 'parentMessageId'].flatMap((name) => textOf(record[name]) ?? []);
    const named = textOf(record['threadId']);
    const known = ids.map((id) => this.#threadOf.get(id)).find((thread) => thread !== undefined);
    const sessionId = named ?? known ?? [...this.#running.keys()].at(-1) ?? this.#latest;
    if (sessionId === undefined) return undefined;
    if (named !== undefined) this.#latest = named;
    for (const id of ids) remember(this.#threadOf, id, this.#threadOf.get(id) ?? sessionId, MAX_REPORTED);
    return sessionId;
  }

  #thread(sessionId: string): Thread {
    const thread = this.#threads.get(sessionId) ?? new Thread();
    remember(this.#threads, sessionId, thread, MAX_THREADS);
    return thread;
  }

  end(): SessionEvent[] {
    return [...this.#threads].flatMap(([sessionId, { turns }]) => [
      ...this.#take(`${sessionId}\n`, { sessionId }),
      ...turns.end(),
    ]);
  }

  /** The calls whose keys have this prefix, which are now complete, after the start of their turn. */
  #take(prefix: string, stamp: Stamp): SessionEvent[] {
    const calls = this.#calls.take(prefix, stamp);
    for (const { id } of calls) this.#report(id ?? '');
    return calls.length === 0
      ? []
      : [...this.#thread(stamp.sessionId).turns.output(stamp, undefined), ...calls];
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

function keyOf(sessionId: string, callId: string | undefined): string {
  return `${sessionId}\n${callId ?? ''}\n`;
}
