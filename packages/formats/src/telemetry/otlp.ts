import type { AgentEvent } from '@loopwatch/contract';
import { Conversations, type Message } from '../record/conversation.ts';
import {
  type Format,
  type FormatReader,
  pending,
  type Reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, listOf, textOf, unwrapped } from '../record/json.ts';
import type { Signal, SpanEvent } from '../record/signal.ts';
import { TelemetryMemory } from '../record/telemetry-memory.ts';
import { textId } from '../record/text-id.ts';
import { readAgentLog } from './agent-logs.ts';
import { isMlflowSpan } from './mlflow.ts';
import { isLogRecord, listedSpans, logsOf, messageName, spansOf } from './otlp-json.ts';
import { agentOf, inputOf, kindOf, modelOf, outputOf, sessionOf, usageOf } from './span-facts.ts';
import { toolOf } from './tool-facts.ts';

/**
 * OpenTelemetry: export requests of spans and logs as OTLP/JSON, and spans exported as plain objects. Spans are exported
 * when they end, children before parents and in any request, so event ids derive from the ids of calls and spans.
 */
export const otlp: Format = {
  name: 'otlp',
  title: 'an OpenTelemetry export',
  keys: [
    'resourceSpans',
    'resourceLogs',
    'resource_spans',
    'resource_logs',
    'traceId',
    'spanId',
    'attributes',
  ],
  recognizes: (record) =>
    requestKeys.some((key) => Array.isArray(record[key])) ||
    listOf(record['batches']).some((batch) => isObject(batch) && 'resource' in batch) ||
    isLogRecord(record) ||
    listedSpans(record).length > 0 ||
    (isSpan(record) && !('type' in record) && !isMlflowSpan(record)),
  createReader: (session, memory) => new OtlpReader(session, memory),
};

const requestKeys = ['resourceSpans', 'resource_spans', 'resourceLogs', 'resource_logs'];
const spanKeys = ['traceId', 'trace_id', 'spanId', 'span_id', 'context', 'kind', 'span_kind', 'scope'];

function isSpan(record: JsonObject): boolean {
  return (
    typeof record['name'] === 'string' &&
    isObject(record['attributes']) &&
    spanKeys.some((key) => key in record)
  );
}

/** Spans to hold until another one of their trace names the session. */
const MAX_HELD = 1000;

class OtlpReader implements FormatReader {
  readonly #session: string | undefined;
  readonly #isShared: boolean;
  /** Histories can contain arguments that the tool's schema has completed, unlike those of the response. */
  readonly #conversations = new Conversations({ hasStableArgs: false });
  readonly #memory: TelemetryMemory;
  /** Spans of an agent that names its session in other spans, some of which end later. */
  #held: Signal[] = [];
  /** Spans of CloudWatch, which has records in any order, usually newest first, and the content in log records. */
  #unordered: Signal[] = [];
  /** Spans with log records in any order. */
  readonly #logged = new Set<string>();

  /** @param memory shared with the readers of other requests */
  constructor(session: string | undefined, memory?: TelemetryMemory) {
    this.#session = session;
    this.#isShared = memory !== undefined;
    this.#memory = memory ?? new TelemetryMemory();
  }

  read(record: JsonObject): Reading {
    const isLogs = 'resourceLogs' in record || 'resource_logs' in record || isLogRecord(record);
    const isSpans = !isLogs || 'resourceSpans' in record || 'resource_spans' in record;
    const sent = isSpans ? spansOf(record) : [];
    const logs = logsOf(record);
    for (const signal of [...sent, ...logs]) this.#learnSession(signal);
    const messages = logs.filter(({ events }) => events.length > 0);
    for (const log of messages) this.#memory.addLog(keyOfSpan(log), log);
    const others = logs.filter(({ events }) => events.length === 0);
    if ('durationNano' in record || isLogRecord(record)) return this.#keep(sent, messages, others);
    const all = [...this.#held, ...sent];
    const spans = all.filter((span) => !this.#isEarly(span));
    this.#held = all.filter((span) => this.#isEarly(span));
    if (this.#held.length > MAX_HELD) spans.unshift(...this.#held.splice(0, MAX_HELD / 2));
    const joined = spans.map((span) => this.#withMessages(span));
    const answered = [...new Set(messages.map(keyOfSpan))].filter((key) => this.#isAnswered(key));
    joined.push(...this.#loggedSpans(answered));
    if (joined.length + others.length === 0 && sent.length + messages.length > 0) return pending;
    return this.#read(joined, others);
  }

  end(): readonly AgentEvent[] {
    return this.#take().events;
  }

  #keep(spans: readonly Signal[], messages: readonly Signal[], others: readonly Signal[]): Reading {
    this.#unordered.push(...spans);
    for (const log of messages) this.#logged.add(keyOfSpan(log));
    const isFull = this.#memory.isFull || this.#unordered.length >= MAX_HELD;
    if (isFull) return merged([this.#take(), this.#read([], others)]);
    return others.length === 0 ? pending : this.#read([], others);
  }

  /** All that is still to be read. */
  #take(): Reading {
    const spans = [...this.#held, ...this.#unordered].map((span) => this.#withMessages(span));
    this.#held = [];
    this.#unordered = [];
    // Later requests can bring the answers of others.
    const answered = () => [...this.#logged].filter((key) => this.#isAnswered(key));
    const keys = this.#isShared ? answered() : this.#memory.loggedSpans;
    this.#logged.clear();
    return this.#read([...spans, ...this.#loggedSpans(keys)], []);
  }

  #isAnswered(key: string): boolean {
    return this.#memory.logsOf(key).some(({ events }) => events.some(({ name }) => name === 'gen_ai.choice'));
  }

  /** The span with the messages that log records have of it. */
  #withMessages(span: Signal): Signal {
    if (span.spanId === undefined) return span;
    const key = keyOfSpan(span);
    const isOther = kindOf(span) === undefined;
    // Those of other spans, such as that of an agent, repeat messages.
    if (isOther && this.#memory.logsOf(key).some(({ name }) => messageName.test(name))) return span;
    const logs = this.#memory.takeLogs(key);
    return logs.length === 0 || isOther
      ? span
      : { ...span, events: [...span.events, ...eventsOf(logs)], logged: 'with span' };
  }

  /** The messages of spans that are in other requests, or in none. */
  #loggedSpans(keys: readonly string[]): Signal[] {
    return keys.flatMap((key) => {
      const logs = this.#memory.takeLogs(key).toSorted(byStart);
      const last = logs.at(-1);
      if (last === undefined || !logs.some(isOfModel)) return [];
      const attributes = { 'gen_ai.operation.name': 'chat', ...last.attributes };
      const start = logs[0]?.start;
      return [{ ...last, name: 'chat', start, attributes, events: eventsOf(logs), logged: 'alone' }];
    });
  }

  #read(spans: readonly Signal[], logs: readonly Signal[]): Reading {
    const tools = new ToolStarts(spans);
    const readings = spans
      .flatMap((span) => this.#partsOf(span, tools))
      // Compares milliseconds and keeps the order of parts within one: the JavaScript SDK rounds start times, but not end
      // times, down to milliseconds, and exports spans in the order in which they end.
      .toSorted((a, b) => millisecondOf(a) - millisecondOf(b))
      .map(({ read }) => read());
    for (const log of logs.toSorted(byStart))
      readings.push(
        kindOf(log) === 'model' ? merged(this.#partsOf(log).map(({ read }) => read())) : this.#readLog(log),
      );
    return merged(readings);
  }

  /** Whether a later span tells the session: a tool of ADK ends before the model's span that contains it. */
  #isEarly(span: Signal): boolean {
    const { traceId, attributes } = span;
    const isOfAdk = 'gcp.vertex.agent.event_id' in attributes && kindOf(span) === 'tool';
    return (
      isOfAdk &&
      traceId !== undefined &&
      sessionOf(span) === undefined &&
      this.#memory.sessionOf(traceId) === undefined
    );
  }

  #readLog(log: Signal): Reading {
    return readAgentLog(log, log.traceId === undefined ? this.#session : this.#sessionOf(log));
  }

  #learnSession(signal: Signal): void {
    const session = sessionOf(signal);
    if (session !== undefined && signal.traceId !== undefined)
      this.#memory.learnSession(signal.traceId, session);
  }

  #sessionOf(signal: Signal): string | undefined {
    const { traceId } = signal;
    const ofTrace = traceId === undefined ? undefined : this.#memory.sessionOf(traceId);
    return sessionOf(signal) ?? ofTrace ?? traceId ?? this.#session;
  }

  /** The start and the end of a span, to be read in order of time. */
  #partsOf(span: Signal, tools = new ToolStarts([])): Part[] {
    const kind = kindOf(span);
    const sessionId = this.#sessionOf(span);
    const nothing = (type: string) => [{ time: span.start, read: () => ({ events: [], ignored: [type] }) }];
    if (kind === undefined) return nothing(span.name);
    if (sessionId === undefined) return nothing(`${span.name} without a session`);
    const { start, end } = span;
    const own = { model: modelOf(span), agent: agentOf(span) };
    const key = keyOfSpan(span);
    const stamp: Stamp = {
      sessionId,
      time: start,
      ...(span.logged === 'alone' ? (this.#memory.stampOf(key) ?? own) : own),
    };
    if (kind === 'model') {
      if (span.logged !== 'alone') this.#memory.learnSpan(key, own);
      return this.#partsOfModel(span, stamp, tools);
    }
    if (kind === 'execution') return partsOfExecution(span, stamp);
    const { name, args, result, isError, callId: ownId } = toolOf(span);
    const calls = this.#memory.callsOf(sessionId);
    const spanId = span.spanId ?? textId(JSON.stringify([name, start, args]));
    let callId = ownId;
    const call = (): Reading => {
      const ids = { id: spanId, parentId: span.parentId };
      callId = calls.ofSpan(ids, ownId, name, args === undefined ? undefined : keyOf(args));
      // Calls with unknown arguments are not the same call.
      const own = args === undefined ? { argsHash: callId } : { args };
      const id = `call:${callId}`;
      return { events: [{ ...stamp, id, type: 'tool_call_request', callId, name, ...own }], ignored: [] };
    };
    const parts: Part[] = [{ time: start, read: call }];
    const outcome = result === '' ? (span.error ?? result) : (result ?? span.error);
    if (outcome === undefined) return parts;
    const isFailed = isError ?? (span.error === undefined ? undefined : true);
    const finish = (): Reading => {
      const id = `result:${callId ?? spanId}`;
      const time = end ?? start;
      return {
        events: [{ ...stamp, time, id, type: 'tool_result', callId, result: outcome, isError: isFailed }],
        ignored: [],
      };
    };
    return [...parts, { time: end ?? start, read: finish }];
  }

  #partsOfModel(span: Signal, stamp: Stamp, tools: ToolStarts): Part[] {
    const { start, end } = span;
    const id = textOf(span.attributes['request_id']) ?? span.spanId;
    const input = inputOf(span);
    const output = outputOf(span);
    const usage = usageOf(span);
    const part = (time: number | undefined, readEvents: () => SessionEvent[]): Part => ({
      time,
      read: () => ({ events: readEvents(), ignored: [] }),
    });
    const isLogged = span.logged !== undefined;
    // The turn is that of the span, which may arrive later and alone has the usage.
    const isPart = ({ type }: SessionEvent) => !isLogged || !type.startsWith('turn_');
    const history = () => this.#readMessages(input, stamp, '').filter(isPart);
    // The calls would belong to the latest turn if theirs had been reported with the span before.
    const isLate = span.logged === 'alone' && this.#memory.stampOf(keyOfSpan(span)) !== undefined;
    const turnId = id && `${id}.${isLate ? 'logged' : 'turn'}`;
    const started = part(start, () => [...history(), { ...stamp, id: turnId, type: 'turn_started' }]);
    const finished = part(end ?? start, () => [
      { ...stamp, time: end ?? start, id: id && `${id}.end`, type: 'turn_finished', usage },
    ]);
    if (isLogged) this.#memory.learnLogged(stamp.sessionId);
    // The turn starts with its messages if they are expected in log records.
    else if (output.length === 0 && input.length === 0 && this.#memory.isLogged(stamp.sessionId))
      return [finished];
    if (output.length === 0) return [started, ...(span.logged === 'alone' ? [] : [finished])];
    const time = tools.timeOf(output, span) ?? start;
    const answer = output.map((message) => (message.role === 'assistant' ? { ...message, usage } : message));
    // A response without a recorded history is identified by its span.
    const seed = input.length === 0 ? (id ?? '') : '';
    const answered = part(time, () =>
      this.#readMessages([...input, ...answer], { ...stamp, time }, seed).filter(isPart),
    );
    if (!isLogged) return [part(start, history), answered];
    return [started, answered, ...(span.logged === 'alone' ? [] : [finished])];
  }

  #readMessages(messages: readonly Message[], stamp: Stamp, seed: string): SessionEvent[] {
    const calls = this.#memory.callsOf(stamp.sessionId);
    return this.#conversations.read(messages, stamp, seed).map((event) => {
      if (event.type === 'tool_call_request') {
        const { id, name, args, callId } = event;
        const known = calls.ofMessage(
          String(id).replace(/^call:/, ''),
          callId ?? undefined,
          name,
          keyOf(args),
        );
        return { ...event, id: `call:${known}`, callId: known };
      }
      if (event.type !== 'tool_result') return event;
      const { id, callId } = event;
      const known = calls.ofMessageResult(String(id).replace(/^result:/, ''), callId ?? undefined);
      return known === undefined ? event : { ...event, id: `result:${known}`, callId: known };
    });
  }
}

/** Identifies a span; without one, log records of messages are one sequence. */
function keyOfSpan({ traceId = '', spanId = '' }: Signal): string {
  return `${traceId}:${spanId}`;
}

/** Whether a log record without its span is of a request: of those of AWS, neither of a tool nor of an agent. */
function isOfModel({ name, events }: Signal): boolean {
  return (
    messageName.test(name) ||
    events.some(
      ({ name: event, attributes: { message, id, 'tool.result': result } }) =>
        event === 'gen_ai.choice' &&
        id === undefined &&
        result === undefined &&
        Array.isArray(unwrapped(message)),
    )
  );
}

function eventsOf(logs: readonly Signal[]): SpanEvent[] {
  return logs.toSorted(byStart).flatMap(({ events }) => events);
}

function byStart(a: Signal, b: Signal): number {
  return (a.start ?? 0) - (b.start ?? 0);
}

/** Claude Code: what failed in a call, whose own span says nothing of it. */
function partsOfExecution({ attributes: a, error, start, end }: Signal, stamp: Stamp): Part[] {
  const callId = textOf(a['gen_ai.tool.call.id']);
  const result = textOf(a['error']) ?? error;
  if (callId === undefined || result === undefined) return [];
  const time = end ?? start;
  const event = { ...stamp, time, id: `result:${callId}`, callId, result, isError: true } as const;
  return [{ time, read: () => ({ events: [{ ...event, type: 'tool_result' }], ignored: [] }) }];
}

/** Start times of tools by call id. */
class ToolStarts {
  readonly #starts = new Map<string, number[]>();

  constructor(spans: readonly Signal[]) {
    for (const span of spans.filter((each) => kindOf(each) === 'tool')) {
      const { callId } = toolOf(span);
      if (callId === undefined || span.start === undefined) continue;
      this.#starts.set(callId, [...(this.#starts.get(callId) ?? []), span.start]);
    }
  }

  /**
   * The time of a model's response: the end of its span, but before its tools start, which can run while the response is
   * still streamed.
   */
  timeOf(response: readonly Message[], { start = 0, end }: Signal): number | undefined {
    const calls = response.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
    const starts = calls
      .flatMap(({ id }) => this.#starts.get(id ?? '') ?? [])
      // Some producers number calls per response.
      .filter((time) => time >= start);
    const times = [...(end === undefined ? [] : [end]), ...starts.map((time) => time - 1)];
    return times.length === 0 ? undefined : Math.min(...times);
  }
}

interface Part {
  readonly time: number | undefined;
  readonly read: () => Reading;
}

/** Epoch nanoseconds exceed the precision of a number, hence the tolerance. */
function millisecondOf({ time = 0 }: Part): number {
  return Math.floor(time + 0.001);
}

function merged(readings: readonly Reading[]): Reading {
  return {
    events: readings.flatMap(({ events }) => events),
    ignored: readings.flatMap((one) => one.ignored),
  };
}

/** Identifies arguments among the calls of a tool; OpenInference has only the value of a single one. */
function keyOf(args: unknown): string {
  const value = unwrapped(args);
  const [only, ...others] = isObject(value) ? Object.values(value) : [];
  return JSON.stringify(typeof only === 'string' && others.length === 0 ? only : value);
}
