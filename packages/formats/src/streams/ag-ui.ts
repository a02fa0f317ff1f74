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
import type { Message } from '../record/message.ts';
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
  /** Calls without a result. */
  readonly open = new Set<string>();
  /** Whether the latest output was a call: the frontend runs its tools between two runs. */
  endsWithCall = false;
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
      thread.endsWithCall = false;
      return reading([...thread.turns.output(stamp, undefined), { ...stamp, type: kind, text: delta }]);
    }
    switch (type) {
      case 'RUN_STARTED': {
        remember(this.#running, sessionId, true, MAX_THREADS);
        const ended = thread.turns.finish(stamp, undefined);
        const given = listOf(objectOf(record['input'])['messages']);
        const results = resultsOf(given, stamp).filter(({ callId }) => this.#answers(thread, callId));
        const latest = objectOf(given.at(-1));
        const isWaiting = thread.endsWithCall && thread.open.size > 0;
        const isContinued = given.length > 0 ? latest['role'] !== 'user' : isWaiting;
        if (isContinued) return events([...ended, ...results], type);
        thread.open.clear();
        const text = latest['role'] === 'user' ? joinedText(latest['content']) : undefined;
        return reading([...ended, ...results, { ...stamp, type: 'prompt_started', text }]);
      }
      case 'RUN_FINISHED':
      case 'RUN_ERROR': {
        this.#running.delete(sessionId);
        return events(
          [...this.#take(`${sessionId}\n`, stamp), ...thread.turns.finish(stamp, undefined)],
          type,
        );
      }
      case 'TOOL_CALL_START':
      case 'TOOL_CALL_ARGS':
      case 'TOOL_CALL_CHUNK': {
        // Calls in chunks have no end event.
        const isNext = isChunk && thread.chunked !== undefined && thread.chunked !== callId;
        const before = isNext ? this.#take(keyOf(sessionId, thread.chunked), stamp) : [];
        if (isChunk) thread.chunked = callId;
        thread.endsWithCall = true;
        this.#calls.add(key, callId, textOf(record['toolCallName']), delta ?? '');
        return before.length === 0 ? pending : reading(before);
      }
      case 'TOOL_CALL_END': {
        return events(this.#take(key, stamp), type);
      }
      case 'MESSAGES_SNAPSHOT':
        return this.#readSnapshot(listOf(record['messages']), stamp);
      case 'TOOL_CALL_RESULT': {
        const before = this.#take(key, stamp);
        thread.turns.toolResult(stamp);
        this.#answers(thread, callId);
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
    if (calls.length === 0) return [];
    const thread = this.#thread(stamp.sessionId);
    for (const { callId } of calls) if (typeof callId === 'string') thread.open.add(callId);
    return [...thread.turns.output(stamp, undefined), ...calls];
  }

  /** Some agents do not stream their calls: only snapshots of the conversation, each with all messages so far, have them. */
  #readSnapshot(messages: readonly unknown[], stamp: Stamp): Reading {
    const found = messages.flatMap(readMessage).flatMap((message): SessionEvent[] => {
      if (message.role === 'assistant')
        return message.calls.flatMap(({ id: callId, name, args }) => {
          const given = typeof args === 'string' ? args : { ...args };
          const call = { ...stamp, type: 'tool_call_request', name, args: given } as const;
          return callId === null ? [] : { ...call, id: `call:${callId}`, callId };
        });
      return message.role === 'tool' ? resultEvents(message, stamp) : [];
    });
    const added = found.filter(({ id }) => this.#report(id ?? ''));
    return events(added, 'MESSAGES_SNAPSHOT');
  }

  /** Notes the result of a call. @returns whether it is new, and that of a call without one */
  #answers(thread: Thread, callId: string | undefined): boolean {
    return callId !== undefined && this.#report(`result:${callId}`) && thread.open.delete(callId);
  }

  /** @returns whether it is new */
  #report(id: string): boolean {
    const isNew = !this.#reported.has(id);
    remember(this.#reported, id, true, MAX_REPORTED);
    return isNew;
  }
}

function events(list: readonly SessionEvent[], type: string): Reading {
  return list.length === 0 ? ignored(type) : reading(list);
}

function resultsOf(messages: readonly unknown[], stamp: Stamp): ResultEvent[] {
  return messages
    .flatMap(readMessage)
    .flatMap((message) => (message.role === 'tool' ? resultEvents(message, stamp) : []));
}

type ResultEvent = ReturnType<typeof resultEvents>[number];

function resultEvents({ results }: Extract<Message, { role: 'tool' }>, stamp: Stamp) {
  return results.flatMap(({ id: callId, result, isError }) => {
    const event = { ...stamp, type: 'tool_result', result, isError } as const;
    return callId === null ? [] : { ...event, id: `result:${callId}`, callId };
  });
}

function keyOf(sessionId: string, callId: string | undefined): string {
  return `${sessionId}\n${callId ?? ''}\n`;
}
