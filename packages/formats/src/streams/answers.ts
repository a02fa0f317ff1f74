import {
  type FormatReader,
  ignored,
  pending,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, nameOf, textOf, timeOf, unwrapped } from '../record/json.ts';
import type { ToolCall, ToolResult } from '../record/message.ts';
import { remember } from '../record/remember.ts';
import type { Answer, AnswerState, StreamedAnswer } from '../wire/answer.ts';

/** How the answers of an API are read. */
export interface AnswerFormat {
  /** @returns undefined if the record is not a whole answer */
  readonly whole: (record: JsonObject) => Answer | undefined;
  /** The answer that a record of a stream begins, or that it names: id, time, model and conversation. */
  readonly headOf: (record: JsonObject) => JsonObject | undefined;
  readonly stream: () => StreamedAnswer;
  /** Whether a record can only come after the end of the answer that it names. */
  readonly isTrailer?: (record: JsonObject) => boolean;
  /** Whether every record of a stream names its answer, or can be told to be of it, so that those of several can be mixed. */
  readonly isMixable?: boolean;
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
  /** Whether the end of its turn was reported, without usage, because another answer came in between. */
  readonly isInterrupted: boolean;
  /** Whether a record of it came after another answer began. */
  readonly isResumed?: boolean;
}

/** A stream that never completes its calls is given up beyond this. */
const MAX_UNITS = 16 * 1024 * 1024;
/** Answers whose records are mixed, or whose last ones may follow. */
const MAX_INTERRUPTED = 16;

/** Reads answers of a model, whole or streamed, as events. */
export class AnswerReader implements FormatReader {
  readonly #format: AnswerFormat;
  readonly #session: string | undefined;
  #open: OpenAnswer | undefined;
  readonly #interrupted = new Map<string, OpenAnswer>();
  /** Ids of the latest answers that have ended. */
  readonly #ended = new Map<string, true>();

  constructor(format: AnswerFormat, session: string | undefined) {
    this.#format = format;
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const type = textOf(record['type']) ?? textOf(record['object']) ?? 'answer';
    const whole = this.#format.whole(record);
    const head = whole === undefined ? this.#format.headOf(record) : record;
    const id = textOf(head?.['id']) ?? '';
    if (this.#ended.has(id) && this.#format.isTrailer?.(record) === true) return ignored(type);
    const begins = head !== undefined && (whole !== undefined || this.#open?.id !== id);
    if (head === undefined && this.#isOfSeveral(record)) return ignored(`${type} of one of several answers`);
    const resumed = head === undefined ? this.#resume(record) : [];
    const stamp = begins ? this.#stampOf(head) : (this.#open?.stamp ?? this.#stampOf({}));
    if (stamp === undefined) return ignored(`${type} without a session`);
    const before = begins ? this.#interrupt() : resumed;
    if (whole !== undefined)
      return { events: [...before, ...wholeEvents(whole, stamp)], ignored: whole.unknownCalls ?? [] };
    if (begins) before.push(...this.#begin(id, stamp));
    this.#open ??= openAnswer(undefined, stamp, this.#format.stream());
    const { events, isOfCall } = this.#add(this.#open, record);
    if (before.length + events.length > 0) return reading([...before, ...events]);
    return isOfCall ? pending : ignored(type);
  }

  /** Ends the answers, whose end may be missing. */
  end(): SessionEvent[] {
    const latest = this.#end();
    const others = [...this.#interrupted.values()].flatMap(endOf);
    this.#interrupted.clear();
    return [...latest, ...others];
  }

  #end(): SessionEvent[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    remember(this.#ended, open.id ?? '', true, MAX_INTERRUPTED);
    return endOf(open);
  }

  /** Whether a record can be a piece of the latest answer and of one that has gone on after another began. */
  #isOfSeveral(record: JsonObject): boolean {
    // What begins a block, or ends an answer, does no harm in the wrong one.
    if (!/_block_(?:delta|stop)$/.test(nameOf(record['type']))) return false;
    if (this.#open?.stream.takes?.(record) !== true) return false;
    return [...this.#interrupted.values()].some(
      ({ isResumed, stream }) => isResumed && stream.takes?.(record) === true,
    );
  }

  /** Goes on with the one answer that a record can be of, if it cannot be of the latest. */
  #resume(record: JsonObject): SessionEvent[] {
    if (this.#open?.stream.takes?.(record) === true) return [];
    const [found, ...others] = [...this.#interrupted.values()].filter(({ stream }) => stream.takes?.(record));
    if (found?.id === undefined || others.length > 0) return [];
    const events = this.#interrupt();
    this.#interrupted.delete(found.id);
    this.#open = { ...found, isResumed: true };
    return events;
  }

  /** Another answer begins before this one has ended, if it ever does. */
  #interrupt(): SessionEvent[] {
    const open = this.#open;
    if (open?.id === undefined || open.id === '' || this.#format.isMixable !== true) return this.#end();
    this.#open = undefined;
    const end = { ...open.stamp, id: suffixed(open.id, 'end'), type: 'turn_finished' } as const;
    const events = [...wholeCalls(open), ...(open.isInterrupted ? [] : [end])];
    this.#interrupted.set(open.id, { ...open, isInterrupted: true });
    if (this.#interrupted.size <= MAX_INTERRUPTED) return events;
    const [oldest] = this.#interrupted.values();
    this.#interrupted.delete(oldest?.id ?? '');
    return [...(oldest === undefined ? [] : endOf(oldest)), ...events];
  }

  #begin(id: string, stamp: Stamp): SessionEvent[] {
    this.#open = this.#interrupted.get(id);
    this.#interrupted.delete(id);
    if (this.#open !== undefined) return [];
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
    events.push(...callsOf(open, isEnd ? stream.calls.length : stream.completeCalls));
    events.push(...stream.results.slice(open.results).map((result) => resultEvent(result, stamp)));
    open.results = stream.results.length;
    if (isEnd) events.push(...this.#end());
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
  return { id, stamp, stream, calls: 0, results: 0, units: 0, isInterrupted: false };
}

/** The calls up to this number that were not reported yet. */
function callsOf(open: OpenAnswer, count: number): SessionEvent[] {
  const calls = open.stream.calls.slice(open.calls, count);
  open.calls = Math.max(open.calls, count);
  return calls.map((call) => callEvent(call, open.stamp));
}

/** Those whose arguments are whole, although the end of the answer is missing. */
function wholeCalls(open: OpenAnswer): SessionEvent[] {
  const { calls } = open.stream;
  const cut = calls.findIndex(({ args }) => !isObject(unwrapped(args)));
  return callsOf(open, cut === -1 ? calls.length : cut);
}

/** What is left of an answer; of one whose turn was reported as ended, the usage. */
function endOf(open: OpenAnswer): SessionEvent[] {
  const { id, stamp, stream, isInterrupted } = open;
  const hasEnd = id !== undefined && !(isInterrupted && stream.usage === null);
  const end = hasEnd ? [finished(id, stream, stamp, isInterrupted ? 'usage' : 'end')] : [];
  return [...wholeCalls(open), ...end];
}

function wholeEvents(answer: Answer, stamp: Stamp): SessionEvent[] {
  const { id, text, thought, calls, results } = answer;
  const own = id ?? '';
  const events: SessionEvent[] = [{ ...stamp, id: suffixed(own, 'turn'), type: 'turn_started' }];
  if (thought !== '') events.push({ ...stamp, id: suffixed(own, 'thought'), type: 'thought', text: thought });
  if (text !== '') events.push({ ...stamp, id: suffixed(own, 'text'), type: 'content', text });
  events.push(...calls.map((call) => callEvent(call, stamp)));
  events.push(...results.map((result) => resultEvent(result, stamp)));
  return [...events, finished(own, answer, stamp, 'end')];
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

function finished(id: string, { usage, costUsd }: AnswerState, stamp: Stamp, suffix: string): SessionEvent {
  return { ...stamp, id: suffixed(id, suffix), type: 'turn_finished', usage: usage ?? undefined, costUsd };
}

function suffixed(id: string, suffix: string): string | undefined {
  return id === '' ? undefined : `${id}.${suffix}`;
}
