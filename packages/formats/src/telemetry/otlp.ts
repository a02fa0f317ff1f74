import { Conversations, type Message } from '../record/conversation.ts';
import type { Format, FormatReader, Reading, SessionEvent, Stamp } from '../record/format.ts';
import { isObject, type JsonObject, unwrapped } from '../record/json.ts';
import { readAgentLog } from './agent-logs.ts';
import { logsOf, type Signal, spansOf } from './otlp-json.ts';
import { agentOf, inputOf, kindOf, modelOf, outputOf, sessionOf, toolOf, usageOf } from './span-facts.ts';

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
    requestKeys.some((key) => Array.isArray(record[key])) || (isSpan(record) && !('type' in record)),
  createReader: (session) => new OtlpReader(session),
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

/** Traces and calls to remember. */
const MAX_KNOWN = 1000;

class OtlpReader implements FormatReader {
  readonly #session: string | undefined;
  /** Histories can contain arguments that the tool's schema has completed, unlike those of the response. */
  readonly #conversations = new Conversations({ hasStableArgs: false });
  /** Sessions by trace: not every span of a trace contains the session id. */
  readonly #sessions = new Map<string, string>();
  /** Ids of identical calls, and how many of them have been matched to the span of a tool. */
  readonly #calls = new Map<string, { readonly ids: Set<string>; matched: number }>();

  constructor(session: string | undefined) {
    this.#session = session;
  }

  read(record: JsonObject): Reading {
    const isLogs = 'resourceLogs' in record || 'resource_logs' in record;
    const isSpans = !isLogs || 'resourceSpans' in record || 'resource_spans' in record;
    const spans = isSpans ? spansOf(record) : [];
    const logs = logsOf(record);
    for (const signal of [...spans, ...logs]) this.#learnSession(signal);
    const tools = new ToolStarts(spans);
    const readings = spans
      .flatMap((span) => this.#partsOf(span, tools))
      // Compares milliseconds and keeps the order of parts within one: the JavaScript SDK rounds start times, but not end
      // times, down to milliseconds, and exports spans in the order in which they end.
      .toSorted((a, b) => millisecondOf(a) - millisecondOf(b))
      .map(({ read }) => read());
    for (const log of logs.toSorted((a, b) => (a.start ?? 0) - (b.start ?? 0)))
      readings.push(
        kindOf(log) === 'model' ? merged(this.#partsOf(log).map(({ read }) => read())) : this.#readLog(log),
      );
    return merged(readings);
  }

  end(): [] {
    return [];
  }

  #readLog(log: Signal): Reading {
    return readAgentLog(log, log.traceId === undefined ? this.#session : this.#sessionOf(log));
  }

  #learnSession(signal: Signal): void {
    const session = sessionOf(signal);
    if (session !== undefined && signal.traceId !== undefined)
      remember(this.#sessions, signal.traceId, session);
  }

  #sessionOf(signal: Signal): string | undefined {
    const { traceId } = signal;
    const ofTrace = traceId === undefined ? undefined : this.#sessions.get(traceId);
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
    const stamp: Stamp = {
      sessionId,
      time: start,
      model: modelOf(span),
      agent: agentOf(span),
    };
    if (kind === 'model') return this.#partsOfModel(span, stamp, tools);
    const { name, args, result } = toolOf(span);
    // Without content, calls of the same tool are indistinguishable.
    if (args === undefined && result === undefined) return nothing(`${span.name} (without arguments)`);
    let callId: string | undefined;
    const call = (): Reading => {
      callId = this.#callIdOf(span, sessionId);
      const id = callId === undefined ? undefined : `call:${callId}`;
      const event = { ...stamp, id, type: 'tool_call_request', callId, name, args: args ?? {} } as const;
      return { events: [event], ignored: [] };
    };
    const parts: Part[] = [{ time: start, read: call }];
    const outcome = result ?? span.error;
    if (outcome === undefined) return parts;
    const isError = span.error === undefined ? undefined : true;
    const finish = (): Reading => {
      const id = callId === undefined ? undefined : `result:${callId}`;
      const time = end ?? start;
      return {
        events: [{ ...stamp, time, id, type: 'tool_result', callId, result: outcome, isError }],
        ignored: [],
      };
    };
    return [...parts, { time: end ?? start, read: finish }];
  }

  #partsOfModel(span: Signal, stamp: Stamp, tools: ToolStarts): Part[] {
    const { spanId: id, start, end } = span;
    const input = inputOf(span);
    const output = outputOf(span);
    const usage = usageOf(span);
    const part = (time: number | undefined, readEvents: () => SessionEvent[]): Part => ({
      time,
      read: () => ({ events: readEvents(), ignored: [] }),
    });
    const history = () => this.#readMessages(input, stamp, '');
    if (output.length === 0) {
      const finished = {
        ...stamp,
        time: end ?? start,
        id: id && `${id}.end`,
        type: 'turn_finished',
        usage,
      } as const;
      return [
        part(start, () => [...history(), { ...stamp, id: id && `${id}.turn`, type: 'turn_started' }]),
        part(finished.time, () => [finished]),
      ];
    }
    const time = tools.timeOf(output, span) ?? start;
    const answer = output.map((message) => (message.role === 'assistant' ? { ...message, usage } : message));
    // A response without a recorded history is identified by its span.
    const seed = input.length === 0 ? (id ?? '') : '';
    return [
      part(start, history),
      part(time, () => this.#readMessages([...input, ...answer], { ...stamp, time }, seed)),
    ];
  }

  #readMessages(messages: readonly Message[], stamp: Stamp, seed: string): SessionEvent[] {
    for (const message of messages)
      if (message.role === 'assistant')
        for (const { id, name, args } of message.calls)
          if (id !== null) this.#learnCall(keyOf(stamp.sessionId, name, args), id);
    return this.#conversations.read(messages, stamp, seed);
  }

  /** Remembers the id of a call; histories repeat calls with the same id. */
  #learnCall(key: string, id: string): void {
    const calls = this.#calls.get(key) ?? { ids: new Set(), matched: 0 };
    if (calls.ids.size < MAX_KNOWN) calls.ids.add(id);
    remember(this.#calls, key, calls);
  }

  /** A tool's span without a call id belongs to the oldest unmatched call with the same arguments. */
  #callIdOf(span: Signal, sessionId: string): string | undefined {
    const { name, args, callId } = toolOf(span);
    if (callId !== undefined) return callId;
    const calls = this.#calls.get(keyOf(sessionId, name, args ?? {}));
    if (calls === undefined || calls.matched >= calls.ids.size) return span.spanId;
    calls.matched += 1;
    return [...calls.ids][calls.matched - 1];
  }
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

function keyOf(sessionId: string, name: string, args: unknown): string {
  return JSON.stringify([sessionId, name, unwrapped(args)]);
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KNOWN && oldest !== undefined) map.delete(oldest);
}
