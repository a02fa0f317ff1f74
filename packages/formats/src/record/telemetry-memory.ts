import { KnownCalls } from './known-calls.ts';
import { remember } from './remember.ts';

/** Traces and sessions to remember. */
const MAX_KNOWN = 1000;

/**
 * What spans of telemetry say about later ones, which may be in other requests. Reading a request again, as after an exporter's
 * retry, gives the same events.
 */
export class TelemetryMemory {
  /** Sessions by trace: not every span of a trace contains the session id. */
  readonly #sessions = new Map<string, string>();
  readonly #calls = new Map<string, KnownCalls>();

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
}
