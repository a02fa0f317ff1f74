import type { ToolCall, ToolResult, Usage } from '../record/conversation.ts';
import {
  type FormatReader,
  ignored,
  pending,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, textOf, timeOf } from '../record/json.ts';
import type { Answer, StreamedAnswer } from '../wire/answer.ts';

/** How the answers of an API are read. */
export interface AnswerFormat {
  /** @returns undefined if the record is not a whole answer */
  readonly whole: (record: JsonObject) => Answer | undefined;
  /** The answer that a record of a stream begins, or that it names: id, time, model and conversation. */
  readonly headOf: (record: JsonObject) => JsonObject | undefined;
  readonly stream: () => StreamedAnswer;
}

/** An answer that has not ended. */
interface OpenAnswer {
  /** Undefined if its beginning was not read. */
  readonly id: string | undefined;
  readonly stamp: Stamp;
  readonly stream: StreamedAnswer;
  calls: number;
  results: number;
  /** JSON of the records without text so far, in UTF-16 units. */
  units: number;
}

/** A stream that never completes its calls is given up beyond this. */
const MAX_UNITS = 16 * 1024 * 1024;

/** Reads answers of a model, whole or streamed, as events. */
export class AnswerReader implements FormatReader {
  readonly #format: AnswerFormat;
  readonly #session: string | undefined;
  #open: OpenAnswer | undefined;

  constructor(format: AnswerFormat, session: string | undefined) {
    this.#format = format;
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const type = textOf(record['type']) ?? textOf(record['object']) ?? 'answer';
    const whole = this.#format.whole(record);
    const head = whole === undefined ? this.#format.headOf(record) : record;
    const begins =
      head !== undefined && (whole !== undefined || this.#open?.id !== (textOf(head['id']) ?? ''));
    const stamp = begins ? this.#stampOf(head) : (this.#open?.stamp ?? this.#stampOf({}));
    if (stamp === undefined) return ignored(`${type} without a session`);
    const before = begins ? this.end() : [];
    if (whole !== undefined)
      return { events: [...before, ...wholeEvents(whole, stamp)], ignored: whole.unknownCalls ?? [] };
    if (begins) before.push(...this.#begin(textOf(head['id']) ?? '', stamp));
    this.#open ??= openAnswer(undefined, stamp, this.#format.stream());
    const { events, isOfCall } = this.#add(this.#open, record);
    if (before.length + events.length > 0) return reading([...before, ...events]);
    return isOfCall ? pending : ignored(type);
  }

  /** Ends the answer, whose end may be missing. */
  end(): SessionEvent[] {
    const open = this.#open;
    this.#open = undefined;
    return open?.id === undefined ? [] : [finished(open.id, open.stream.usage, open.stamp)];
  }

  #begin(id: string, stamp: Stamp): SessionEvent[] {
    this.#open = openAnswer(id, stamp, this.#format.stream());
    return [{ ...stamp, id: suffixed(id, 'turn'), type: 'turn_started' }];
  }

  #add(
    open: OpenAnswer,
    record: JsonObject,
  ): { readonly events: SessionEvent[]; readonly isOfCall: boolean } {
    const { stamp, stream } = open;
    const { text = '', thought = '', isOfCall = false, isEnd = false } = stream.read(record);
    const events: SessionEvent[] = [];
    if (thought !== '') events.push({ ...stamp, type: 'thought', text: thought });
    if (text !== '') events.push({ ...stamp, type: 'content', text });
    const calls = isEnd ? stream.calls.length : stream.completeCalls;
    events.push(...stream.calls.slice(open.calls, calls).map((call) => callEvent(call, stamp)));
    events.push(...stream.results.slice(open.results).map((result) => resultEvent(result, stamp)));
    open.calls = calls;
    open.results = stream.results.length;
    if (isEnd) events.push(...this.end());
    else if (text === '' && thought === '') {
      open.units += JSON.stringify(record).length;
      if (open.units > MAX_UNITS) this.#open = undefined;
    }
    return { events, isOfCall: isOfCall || open.calls < stream.calls.length };
  }

  #stampOf(head: JsonObject): Stamp | undefined {
    const { conversation } = head;
    const named = textOf(isObject(conversation) ? conversation['id'] : conversation);
    const sessionId = named ?? this.#session ?? textOf(head['prompt_cache_key']);
    if (sessionId === undefined) return undefined;
    return {
      sessionId,
      time: timeOf(head['created_at'] ?? head['created']),
      model: textOf(head['model']),
    };
  }
}

function openAnswer(id: string | undefined, stamp: Stamp, stream: StreamedAnswer): OpenAnswer {
  return { id, stamp, stream, calls: 0, results: 0, units: 0 };
}

function wholeEvents({ id, text, thought, calls, results, usage }: Answer, stamp: Stamp): SessionEvent[] {
  const own = id ?? '';
  const events: SessionEvent[] = [{ ...stamp, id: suffixed(own, 'turn'), type: 'turn_started' }];
  if (thought !== '') events.push({ ...stamp, id: suffixed(own, 'thought'), type: 'thought', text: thought });
  if (text !== '') events.push({ ...stamp, id: suffixed(own, 'text'), type: 'content', text });
  events.push(...calls.map((call) => callEvent(call, stamp)));
  events.push(...results.map((result) => resultEvent(result, stamp)));
  return [...events, finished(own, usage, stamp)];
}

function callEvent({ id: callId, name, args }: ToolCall, stamp: Stamp): SessionEvent {
  const given = typeof args === 'string' ? args || '{}' : { ...args };
  return {
    ...stamp,
    id: callId === null ? undefined : `call:${callId}`,
    type: 'tool_call_request',
    callId: callId ?? undefined,
    name,
    args: given,
  };
}

function resultEvent({ id: callId, result, isError }: ToolResult, stamp: Stamp): SessionEvent {
  return {
    ...stamp,
    id: callId === null ? undefined : `result:${callId}`,
    type: 'tool_result',
    callId: callId ?? undefined,
    result,
    isError,
  };
}

function finished(id: string, usage: Usage | null, stamp: Stamp): SessionEvent {
  return { ...stamp, id: suffixed(id, 'end'), type: 'turn_finished', usage: usage ?? undefined };
}

function suffixed(id: string, suffix: string): string | undefined {
  return id === '' ? undefined : `${id}.${suffix}`;
}
