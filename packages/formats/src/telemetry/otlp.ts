import type { AgentEvent } from '@loopwatch/contract';
import { type Format, type FormatReader, pending, type Reading } from '../record/format.ts';
import { isObject, type JsonObject, listOf, unwrapped } from '../record/json.ts';
import { keyOfSpan, type Signal, type SpanEvent } from '../record/signal.ts';
import { TelemetryMemory } from '../record/telemetry-memory.ts';
import { readAgentLog } from './agent-logs.ts';
import { answeredKeys, historyKeys } from './answered-keys.ts';
import { isMlflowSpan } from './mlflow.ts';
import { isLogRecord, listedSpans, logsOf, messageName, spansOf } from './otlp-json.ts';
import { withoutRepeats } from './same-request.ts';
import { sessionOf } from './span-facts.ts';
import { kindOf } from './span-kind.ts';
import { inputOf, outputOf } from './span-messages.ts';
import { type Part, SpanReader } from './span-reader.ts';
import { sideOf, toolOf } from './tool-facts.ts';
import { ToolStarts } from './tool-starts.ts';
import { withToolSteps } from './tool-steps.ts';

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

/** The events of what is kept of files. */
export function readKept(memory: TelemetryMemory): readonly AgentEvent[] {
  return new OtlpReader(undefined, memory).takeKept();
}

class OtlpReader implements FormatReader {
  readonly #session: string | undefined;
  /** Whether the end of the file is that of all files. */
  readonly #isAlone: boolean;
  readonly #memory: TelemetryMemory;
  readonly #spans: SpanReader;
  /** Spans of an agent that names its session in other spans, some of which end later. */
  #held: Signal[] = [];
  /** Spans of CloudWatch, which has records in any order, usually newest first, and the content in log records. */
  #unordered: Signal[] = [];
  /** Spans with log records in any order. */
  readonly #logged = new Set<string>();

  /** @param memory shared with the readers of other requests or files; without it, the records are those of one file */
  constructor(session: string | undefined, memory?: TelemetryMemory) {
    this.#session = session;
    this.#isAlone = memory === undefined;
    this.#memory = memory ?? new TelemetryMemory('files');
    this.#spans = new SpanReader(this.#memory);
  }

  read(record: JsonObject): Reading {
    const isLogs = 'resourceLogs' in record || 'resource_logs' in record || isLogRecord(record);
    const isSpans = !isLogs || 'resourceSpans' in record || 'resource_spans' in record;
    const sent = isSpans ? spansOf(record) : [];
    const logs = logsOf(record);
    const messages = logs.filter(({ events }) => events.length > 0);
    for (const log of messages) this.#memory.addLog(keyOfSpan(log), log);
    const others = logs.filter(({ events }) => events.length === 0);
    if (this.#memory.of === 'files') return this.#keepOfFile(sent, messages, others);
    this.#learnSessions([...sent, ...logs]);
    if ('durationNano' in record || isLogRecord(record)) return this.#keep(sent, messages, others);
    const all = [...this.#held, ...sent];
    const early = all.filter((span) => this.#isEarly(span));
    const tooMany = early.length > MAX_HELD ? MAX_HELD / 2 : 0;
    this.#held = early.slice(tooMany);
    const spans = [...early.slice(0, tooMany), ...all.filter((span) => !this.#isEarly(span))];
    const answered = [...new Set(messages.map(keyOfSpan))].filter((key) => this.#isAnswered(key));
    const joined = [...spans.map((span) => this.#withMessages(span)), ...this.#loggedSpans(answered)];
    if (joined.length + others.length === 0 && sent.length + messages.length > 0) return pending;
    return this.#read(joined, others);
  }

  end(): readonly AgentEvent[] {
    if (this.#memory.of === 'files') return this.#isAlone ? this.takeKept() : [];
    return this.#take().events;
  }

  /** The events of what is kept of files. */
  takeKept(): readonly AgentEvent[] {
    const { spans: kept, others } = this.#memory.takeKept();
    const joined = kept.map((span) => this.#withMessages(span));
    const spans = [...joined, ...this.#loggedSpans(this.#memory.loggedSpans)];
    this.#learnSessions([...spans, ...others]);
    return this.#read(spans, others).events;
  }

  /** Spans end in any order, and the one that names the session last, so files are read as a whole. */
  #keepOfFile(spans: readonly Signal[], messages: readonly Signal[], others: readonly Signal[]): Reading {
    const own = (signal: Signal) => this.#withSession(signal);
    const kept = spans.map((span) => own(kindOf(span) === undefined ? withoutContent(span) : span));
    this.#memory.keep(kept, others.map(own), messages);
    const events = this.#memory.hasManyKept ? this.takeKept() : [];
    return { events, ignored: this.#ignoredTypes(spans, others), isPending: true };
  }

  /** A signal with the session of its file, if it names neither a session nor a trace. */
  #withSession(signal: Signal): Signal {
    if (this.#session === undefined || (sessionOf(signal) ?? signal.traceId) !== undefined) return signal;
    return { ...signal, resource: { ...signal.resource, 'session.id': this.#session } };
  }

  #ignoredTypes(spans: readonly Signal[], logs: readonly Signal[]): string[] {
    const typesOf = (signals: readonly Signal[], unknown: (signal: Signal) => readonly string[]) =>
      signals.flatMap((signal) => {
        if (kindOf(signal) === undefined) return unknown(signal);
        const hasSession = (sessionOf(signal) ?? signal.traceId ?? this.#session) !== undefined;
        return hasSession ? [] : [`${signal.name} without a session`];
      });
    return [
      ...typesOf(spans, ({ name }) => [name]),
      ...typesOf(logs, (log) => readAgentLog(log, this.#session).ignored),
    ];
  }

  #keep(spans: readonly Signal[], messages: readonly Signal[], others: readonly Signal[]): Reading {
    for (const span of spans) this.#unordered.push(span);
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
    const keys = [...this.#logged].filter((key) => this.#isAnswered(key));
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
    for (const span of spans)
      if (span.traceId !== undefined && kindOf(span) === 'tool')
        this.#memory.tools.learn(span.traceId, sideOf(span, toolOf(span)));
    const sessions = this.#sessionsOf([...spans, ...logs]);
    const areLogs = new Set(logs);
    const readings = withoutRepeats([...spans, ...logs], this.#memory)
      .flatMap(([given, signal]): Part[] =>
        !areLogs.has(given) || kindOf(given) === 'model'
          ? this.#spans.partsOf(signal, sessions.get(given), tools)
          : [{ time: given.start, read: () => this.#readLog(given, sessions.get(given)) }],
      )
      // Compares milliseconds and keeps the order of parts within one: the JavaScript SDK rounds start times, but not end
      // times, down to milliseconds, and exports spans in the order in which they end.
      .toSorted((a, b) => millisecondOf(a) - millisecondOf(b))
      .map(({ read }) => read());
    const all = merged(readings);
    return this.#memory.of === 'files' ? { ...all, events: withToolSteps(all.events) } : all;
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

  /** The session of the trace whose conversation this one continues, named after the first of them. */
  #continued(signal: Signal): string | undefined {
    const { traceId } = signal;
    const { traces } = this.#memory;
    if (traceId === undefined) return undefined;
    if (kindOf(signal) === 'model') {
      const input = inputOf(signal);
      traces.add(traceId, historyKeys(input), answeredKeys([...input, ...outputOf(signal)]));
    }
    const first = traces.firstOf(traceId) ?? traceId;
    return this.#memory.sessionOf(first) ?? first;
  }

  #readLog(log: Signal, session: string | undefined): Reading {
    return readAgentLog(log, session, this.#memory);
  }

  /** Learns the sessions of traces of which none is known yet. */
  #learnSessions(signals: readonly Signal[]): void {
    for (const signal of signals.toSorted(byStart)) {
      const session = sessionOf(signal);
      const { traceId } = signal;
      if (session === undefined || traceId === undefined) continue;
      if (this.#memory.sessionOf(traceId) === undefined) this.#memory.learnSession(traceId, session);
    }
  }

  /** The sessions of signals: that of the span around them, or else the latest one that their trace names. */
  #sessionsOf(signals: readonly Signal[]): ReadonlyMap<Signal, string | undefined> {
    const named = new Map<string, string>();
    const sessions = new Map<Signal, string | undefined>();
    for (const signal of signals.toSorted(byStart)) {
      const { traceId, parentId } = signal;
      const key = keyOfSpan(signal);
      const around =
        parentId === undefined ? undefined : named.get(keyOfSpan({ ...signal, spanId: parentId }));
      const own = sessionOf(signal) ?? named.get(key) ?? around;
      if (own !== undefined) named.set(key, own);
      if (own !== undefined && traceId !== undefined) this.#memory.learnSession(traceId, own);
      const ofTrace = traceId === undefined ? undefined : this.#memory.sessionOf(traceId);
      sessions.set(signal, own ?? ofTrace ?? this.#continued(signal) ?? this.#session);
    }
    return sessions;
  }
}

/** A span that is read only for the session that it names. */
function withoutContent(span: Signal): Signal {
  const session = sessionOf(span);
  return { ...span, attributes: session === undefined ? {} : { 'session.id': session }, events: [] };
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
