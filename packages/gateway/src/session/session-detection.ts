import { type AgentEvent, isOpenAfter, shortName } from '@loopwatch/contract';
import type { PureVerdict } from '@loopwatch/detectors';
import {
  ConfiguredSession,
  type DetectionPlan,
  isRefused,
  knownElsewhere,
  type PastUsage,
  refusalText,
  type SettingsVersion,
  type TurnRequest,
  type WatchedPush,
  withPastUsage,
} from '@loopwatch/detectors/internal';
import type { ToolCall } from '../api/conversation.ts';
import type { HistoryEntry } from './prompt-ledger.ts';
import type { Settings } from './session-settings.ts';

/** Model and backend of a request, as events carry them. */
export interface RequestLabels {
  readonly model: string | null;
  readonly backend: string;
}

/** An analyzed event. */
interface DetectionResult {
  readonly event: AgentEvent;
  readonly verdicts: readonly PureVerdict[];
  /** Why its settings were rejected. */
  readonly refused?: string;
}

/** A session under watch, whose events are made from requests and replies. */
export class SessionDetection {
  /** Of the current request. */
  labels: RequestLabels = { model: null, backend: '' };
  /** The latest verdict on the limit of tool calls, if it is reached. */
  limit: Extract<PureVerdict, { detector: 'tool-limit' }> | undefined;
  /** Server and model settings; the session's own settings are on top of them. */
  version: SettingsVersion;
  readonly #session: ConfiguredSession;
  /** Prefix of event ids, unique across gateways. */
  readonly #origin: string;
  readonly #observer: SessionObserver;
  #events = 0;

  constructor(id: string, version: SettingsVersion, observer: SessionObserver, origin: string) {
    this.version = version;
    this.#observer = observer;
    this.#origin = origin;
    this.#session = new ConfiguredSession(id, version.detection);
  }

  get plan(): DetectionPlan {
    return this.#session.analysis.currentPlan;
  }

  get ownSettings(): Settings {
    return this.#session.analysis.ownSettings;
  }

  /** The latest verdict of each open incident. */
  get open(): readonly PureVerdict[] {
    return this.#session.openVerdicts;
  }

  /** The open incidents that a call continues, once it was pushed. */
  continuedBy({ name, args }: ToolCall): readonly PureVerdict[] {
    return this.#session.continuedBy({ name, args });
  }

  /** Whether a call would be refused if it came next; the session does not change. @param dismissed incidents that deny nothing */
  wouldRefuse({ name, args }: ToolCall, now: number, dismissed: ReadonlySet<string>): boolean {
    try {
      return isRefused(
        this.#session.decide({ name: shortName(name), args }, now, knownElsewhere([], dismissed)),
      );
    } catch {
      // Reported when the call is pushed.
      return false;
    }
  }

  /** Starts with what the session has used elsewhere; nothing of it must have been pushed. @param shown calls that will be pushed */
  startFrom(past: PastUsage, shown: number): void {
    this.#session.restore(withPastUsage(this.#session.snapshot(), this.plan, past, shown));
  }

  adopt(version: SettingsVersion): void {
    this.version = version;
    this.#session.adopt(version.detection);
  }

  /** Applies the session's own settings as they were made elsewhere. @returns undefined if nothing changed */
  adoptOwn(settings: Settings, now: number): Omit<DetectionResult, 'event'> | undefined {
    const pushed = this.#session.adoptOwn(settings, now);
    return pushed && this.#resultOf(pushed);
  }

  /**
   * Analyzes an event. If detection fails, the request passes.
   *
   * @param time when it happened, if that is not now but unknown: judged by, but not reported
   */
  push(body: EventBody, now: number, time = now): DetectionResult {
    const event = this.#eventOf(body, now);
    return { event, ...this.#resultOf(this.#session.push({ ...event, time })) };
  }

  #resultOf({ verdicts, turnRequest, refusals, fault }: WatchedPush): Omit<DetectionResult, 'event'> {
    const { id } = this.#session;
    if (fault !== undefined) this.#observer.onFault(id, fault);
    if (turnRequest !== null) this.#observer.onTurnRequest(id, turnRequest);
    this.#noteLimit(verdicts);
    return { verdicts, ...(refusals.length > 0 && { refused: refusalText(...refusals) }) };
  }

  #eventOf(body: EventBody, now: number): AgentEvent {
    const isShort = body.type === 'content' || body.type === 'thought';
    const id = `${this.#origin}-${String(this.#events)}`;
    this.#events += 1;
    return { v: 1, id, sessionId: this.#session.id, time: now, ...body, ...(isShort ? {} : this.labels) };
  }

  #noteLimit(verdicts: readonly PureVerdict[]): void {
    for (const verdict of verdicts)
      if (verdict.detector === 'tool-limit' && isOpenAfter(verdict)) this.limit = verdict;
  }
}

/** A session's event without the fields common to all events. */
export type EventBody =
  | { readonly type: 'prompt_started'; readonly text: string; readonly origin?: 'user' | 'harness' }
  | { readonly type: 'content' | 'thought'; readonly text: string }
  | { readonly type: 'turn_started' | 'retry' }
  | {
      readonly type: 'tool_call_request';
      readonly callId: string | null;
      readonly name: string;
      readonly args: ToolCall['args'];
    }
  | {
      readonly type: 'tool_result';
      readonly callId: string | null;
      readonly result: unknown;
      readonly isError?: boolean;
      readonly denied?: boolean;
    }
  | { readonly type: 'turn_finished'; readonly finishReason: string | null; readonly usage?: object }
  | { readonly type: 'control'; readonly set: object; readonly unset: readonly string[] };

/** The event of a new history entry. */
export function eventBodyOf(entry: HistoryEntry): EventBody {
  switch (entry.type) {
    case 'prompt': {
      const { text, origin } = entry;
      return { type: 'prompt_started', text, ...(origin && { origin }) };
    }
    case 'turn':
      return { type: 'turn_started' };
    case 'call':
      return {
        type: 'tool_call_request',
        callId: entry.call.id,
        name: shortName(entry.call.name),
        args: entry.call.args,
      };
    case 'result': {
      const { callId, result, isError } = entry;
      return { type: 'tool_result', callId, result, ...(isError !== undefined && { isError }) };
    }
  }
}

/** Observes everything that happens in a session. */
export interface SessionObserver {
  /** An event was analyzed. */
  onEvent(event: AgentEvent, verdicts: readonly PureVerdict[]): void;
  /** Settings made elsewhere led to verdicts; their event is in the log already. */
  onVerdicts(sessionId: string, verdicts: readonly PureVerdict[]): void;
  /** The user changed the session's settings in the chat. */
  onSettingsChanged(sessionId: string, own: Settings): void;
  onTurnRequest(sessionId: string, request: TurnRequest): void;
  /** Detection failed on an event; the session was reset. */
  onFault(sessionId: string, error: unknown): void;
}
