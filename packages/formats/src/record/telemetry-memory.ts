import { KnownCalls } from './known-calls.ts';
import { remember } from './remember.ts';
import type { Signal } from './signal.ts';

/** Traces, sessions and spans to remember. */
const MAX_KNOWN = 1000;
/** Size of the log records to keep until the answer of their span is logged, in units of their text. */
const MAX_LOG_UNITS = 16 * 1024 * 1024;

/** What later records need to know of a span of a model whose messages are in log records. */
interface SpanStamp {
  readonly model: string | undefined;
  readonly agent: string | undefined;
}

interface SpanLogs {
  readonly logs: Signal[];
  units: number;
}

/**
 * What spans of telemetry say about later ones, which may be in other requests. Reading a request again, as after an exporter's
 * retry, gives the same events.
 */
export class TelemetryMemory {
  /** Sessions by trace: not every span of a trace contains the session id. */
  readonly #sessions = new Map<string, string>();
  readonly #calls = new Map<string, KnownCalls>();
  readonly #spans = new Map<string, SpanStamp>();
  /** Sessions whose messages are in log records. */
  readonly #logged = new Map<string, true>();
  /** Log records with messages, by span. */
  readonly #logs = new Map<string, SpanLogs>();
  #logUnits = 0;

  sessionOf(traceId: string): string | undefined {
    return this.#sessions.get(traceId);
  }

  learnSession(traceId: string, sessionId: string): void {
    remember(this.#sessions, traceId, sessionId, MAX_KNOWN);
  }

  callsOf(sessionId: string): KnownCalls {
    const calls = this.#calls.get(sessionId) ?? new KnownCalls();
    remember(this.#calls, sessionId, calls, MAX_KNOWN);
    return calls;
  }

  stampOf(span: string): SpanStamp | undefined {
    return this.#spans.get(span);
  }

  learnSpan(span: string, stamp: SpanStamp): void {
    remember(this.#spans, span, stamp, MAX_KNOWN);
  }

  isLogged(sessionId: string): boolean {
    return this.#logged.has(sessionId);
  }

  learnLogged(sessionId: string): void {
    remember(this.#logged, sessionId, true, MAX_KNOWN);
  }

  /** Spans with log records that are still to be read. */
  get loggedSpans(): readonly string[] {
    return [...this.#logs.keys()];
  }

  /** Whether log records should be read now, because more of them would displace the oldest. */
  get isFull(): boolean {
    return this.#logs.size >= MAX_KNOWN / 2 || this.#logUnits >= MAX_LOG_UNITS / 2;
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
      if (this.#logUnits <= MAX_LOG_UNITS && this.#logs.size <= MAX_KNOWN) break;
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
