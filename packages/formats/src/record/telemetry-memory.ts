import { ContinuedTraces } from './continued-traces.ts';
import { KnownCalls } from './known-calls.ts';
import { NewPrompts } from './new-prompts.ts';
import { remember } from './remember.ts';
import { SeenAnswers } from './seen-answers.ts';
import type { Signal } from './signal.ts';
import { ToolSides } from './tool-sides.ts';

/** Traces, sessions and spans to remember. */
const maxKnown = { requests: 1000, files: 100_000 } as const;
/** Size of the log records to keep until the answer of their span is logged, in units of their text. */
const maxLogUnits = { requests: 16 * 1024 * 1024, files: Number.POSITIVE_INFINITY } as const;
/** Size of the signals of files to keep, in units of their text. */
const MAX_FILE_UNITS = 32 * 1024 * 1024;

/** What later records need to know of a span of a model whose messages are in log records. */
interface SpanStamp {
  readonly model: string | undefined;
  readonly agent: string | undefined;
}

/** Prompts to compare later ones of their trace with, and traces to keep them of. */
const MAX_PROMPTS = 4;
const MAX_PROMPT_TRACES = 100;
const MAX_PROMPT_UNITS = 100_000;

/** What is read of a signal that reports a request to a model, which others may report too. */
export type RequestReading = NonNullable<Signal['turn']> | 'whole' | 'not';

interface ReportedResponse {
  readonly span: Pick<Signal, 'spanId' | 'start' | 'end'>;
  readonly hasContent: boolean;
}

interface SpanLogs {
  readonly logs: Signal[];
  units: number;
}

/**
 * What spans of telemetry say about later ones, which may be in other requests or files. Those of files are kept until the
 * last file was read, because the span that names a session ends last. Reading a request again, as after an exporter's
 * retry, gives the same events.
 */
export class TelemetryMemory {
  readonly of: 'requests' | 'files';
  /** Signals of files that are still to be read: spans, and log records that are not messages. */
  #spans: Signal[] = [];
  #others: Signal[] = [];
  #fileUnits = 0;
  /** Sessions by trace: not every span of a trace contains the session id. */
  readonly #sessions = new Map<string, string>();
  readonly #calls = new Map<string, KnownCalls>();
  readonly tools: ToolSides;
  readonly traces: ContinuedTraces;
  /** Answers of models that were read. */
  readonly answers = new SeenAnswers();
  readonly newPrompts = new NewPrompts();
  readonly #stamps = new Map<string, SpanStamp>();
  /** Requests to models that were read, with whether they had content. */
  readonly #contents = new Map<string, boolean>();
  readonly #readings = new Map<string, RequestReading>();
  /** Spans by the response that they reported. */
  readonly #responses = new Map<string, ReportedResponse>();
  /** Sessions whose messages are in log records. */
  readonly #logged = new Map<string, true>();
  /** Log records with messages, by span. */
  readonly #logs = new Map<string, SpanLogs>();
  #logUnits = 0;

  constructor(of: 'requests' | 'files' = 'requests') {
    this.of = of;
    this.tools = new ToolSides(maxKnown[of]);
    this.traces = new ContinuedTraces(maxKnown[of]);
  }

  keep(spans: readonly Signal[], others: readonly Signal[], messages: readonly Signal[]): void {
    // One by one: a document can have more of them than a call can have arguments.
    for (const span of spans) this.#spans.push(span);
    for (const other of others) this.#others.push(other);
    for (const { attributes, events } of [...spans, ...others, ...messages])
      this.#fileUnits += JSON.stringify([attributes, events]).length;
  }

  /** Whether so much is kept that it should be read now. */
  get hasManyKept(): boolean {
    return this.#fileUnits > MAX_FILE_UNITS;
  }

  takeKept(): { readonly spans: readonly Signal[]; readonly others: readonly Signal[] } {
    const kept = { spans: this.#spans, others: this.#others };
    this.#spans = [];
    this.#others = [];
    this.#fileUnits = 0;
    return kept;
  }

  /** The latest prompts by trace. */
  readonly #prompts = new Map<string, readonly string[]>();

  /**
   * Whether a prompt repeats an earlier one of its trace and adds to it.
   *
   * @param history the prompts of its request: an earlier one among them was not replaced, but answered
   */
  isGrown(traceId: string, prompt: string, history: readonly string[]): boolean {
    const before = (this.#prompts.get(traceId) ?? []).filter((one) => one !== prompt);
    if (prompt.length > MAX_PROMPT_UNITS) return false;
    remember(this.#prompts, traceId, [...before, prompt].slice(-MAX_PROMPTS), MAX_PROMPT_TRACES);
    return before.some((one) => !history.includes(one) && isExtended(one, prompt));
  }

  sessionOf(traceId: string): string | undefined {
    return this.#sessions.get(traceId);
  }

  /** Calls that were reported under the id of the trace, because no span had named the session yet, are not reported again. */
  learnSession(traceId: string, sessionId: string): void {
    const early = this.#sessions.has(traceId) ? undefined : this.#calls.get(traceId);
    if (early !== undefined && traceId !== sessionId) this.callsOf(sessionId).adopt(early, traceId);
    remember(this.#sessions, traceId, sessionId, maxKnown[this.of]);
  }

  callsOf(sessionId: string): KnownCalls {
    const calls = this.#calls.get(sessionId) ?? new KnownCalls();
    remember(this.#calls, sessionId, calls, maxKnown[this.of]);
    return calls;
  }

  stampOf(span: string): SpanStamp | undefined {
    return this.#stamps.get(span);
  }

  learnSpan(span: string, stamp: SpanStamp): void {
    remember(this.#stamps, span, stamp, maxKnown[this.of]);
  }

  /** Whether the span or log record of a request that was read had content; undefined if none was read. */
  hasContentAt(request: string): boolean | undefined {
    return this.#contents.get(request);
  }

  learnContent(request: string, hasContent: boolean): void {
    remember(this.#contents, request, hasContent, 3 * maxKnown[this.of]);
  }

  readingOf(request: string): RequestReading | undefined {
    return this.#readings.get(request);
  }

  learnReading(request: string, reading: RequestReading, hasContent: boolean): void {
    remember(this.#readings, request, reading, 2 * maxKnown[this.of]);
    if (reading !== 'not') this.learnContent(request, hasContent);
  }

  /** Whether another span that was open at the same time reported this response, and if so, whether with content. */
  sameResponse(response: string, { spanId, start = 0, end = start }: Signal): boolean | undefined {
    const known = this.#responses.get(response);
    if (known === undefined || known.span.spanId === spanId) return undefined;
    const { start: from = 0, end: to = from } = known.span;
    return start < to && from < end ? known.hasContent : undefined;
  }

  learnResponse(response: string, { spanId, start, end }: Signal, hasContent: boolean): void {
    remember(this.#responses, response, { span: { spanId, start, end }, hasContent }, maxKnown[this.of]);
  }

  isLogged(sessionId: string): boolean {
    return this.#logged.has(sessionId);
  }

  learnLogged(sessionId: string): void {
    remember(this.#logged, sessionId, true, maxKnown[this.of]);
  }

  /** Spans with log records that are still to be read. */
  get loggedSpans(): readonly string[] {
    return [...this.#logs.keys()];
  }

  /** Whether log records should be read now, because more of them would displace the oldest. */
  get isFull(): boolean {
    return this.#logs.size >= maxKnown[this.of] / 2 || this.#logUnits >= maxLogUnits[this.of] / 2;
  }

  logsOf(span: string): readonly Signal[] {
    return this.#logs.get(span)?.logs ?? [];
  }

  addLog(span: string, log: Signal): void {
    const held = this.#logs.get(span) ?? { logs: [], units: 0 };
    const units = JSON.stringify(log.events).length;
    held.logs.push(log);
    held.units += units;
    this.#logUnits += units;
    this.#logs.set(span, held);
    for (const oldest of this.#logs.keys()) {
      if (this.#logUnits <= maxLogUnits[this.of] && this.#logs.size <= maxKnown[this.of]) break;
      this.takeLogs(oldest);
    }
  }

  takeLogs(span: string): readonly Signal[] {
    const logs = this.logsOf(span);
    this.#logUnits -= this.#logs.get(span)?.units ?? 0;
    this.#logs.delete(span);
    return logs;
  }
}

/** Whether a text is another one with something added at its start, its end or one place between. */
function isExtended(text: string, by: string): boolean {
  if (by.length <= text.length || text === '') return false;
  let head = 0;
  while (head < text.length && text[head] === by[head]) head += 1;
  let tail = 0;
  while (tail < text.length - head && text.at(-1 - tail) === by.at(-1 - tail)) tail += 1;
  return head + tail === text.length || by.includes(text);
}
