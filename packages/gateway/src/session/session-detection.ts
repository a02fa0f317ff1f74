import { type AgentEvent, detectionSchema, isOpenAfter, MAX_NAME_UNITS } from '@loopwatch/contract';
import {
  type DetectionPlan,
  detectionOf,
  type PureVerdict,
  SessionAnalyzer,
  type SettingsVersion,
  type TurnRequest,
} from '@loopwatch/detectors';
import type { ToolCall } from '../api/conversation.ts';
import { OpenLoops } from './open-loops.ts';
import type { HistoryEntry } from './prompt-ledger.ts';
import type { Settings } from './session-settings.ts';
import type { GatewaySnapshot } from './session-snapshot.ts';

const NO_IDS = new SessionAnalyzer('', detectionOf(detectionSchema.parse({}))).snapshot().ids;

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

/** The analyzer of one session, with its open loops and the reached limit of tool calls. */
export class SessionDetection {
  readonly loops = new OpenLoops();
  /** Of the current request. */
  labels: RequestLabels = { model: null, backend: '' };
  /** If the limit of tool calls is reached: the message for the last result. */
  limit: string | undefined;
  readonly #id: string;
  /** Prefix of event ids, unique across gateways. */
  readonly #origin: string;
  readonly #observer: SessionObserver;
  #version: SettingsVersion;
  #analyzer: SessionAnalyzer;
  #events = 0;

  constructor(id: string, version: SettingsVersion, observer: SessionObserver, origin: string) {
    this.#id = id;
    this.#version = version;
    this.#observer = observer;
    this.#origin = origin;
    this.#analyzer = new SessionAnalyzer(id, version.detection);
  }

  /** Server and model settings; the session's own settings are on top of them. */
  get version(): SettingsVersion {
    return this.#version;
  }

  get plan(): DetectionPlan {
    return this.#analyzer.currentPlan;
  }

  get ownSettings(): Settings {
    return this.#analyzer.snapshot().overrides;
  }

  adopt(version: SettingsVersion): void {
    this.#version = version;
    this.#analyzer.adopt(version.detection);
  }

  /** Analyzes an event. If detection fails, the request passes. */
  push(body: EventBody, now: number): DetectionResult {
    const event = this.#eventOf(body, now);
    let verdicts: readonly PureVerdict[] = [];
    let refused: string | undefined;
    try {
      const pushed = this.#analyzer.push(event, now);
      verdicts = pushed.verdicts;
      if (pushed.turnRequest !== null) this.#observer.onTurnRequest(this.#id, pushed.turnRequest);
      if (pushed.refusal !== null) refused = pushed.refusal;
      if (pushed.abandoned.length > 0) this.loops.clear();
    } catch (error) {
      this.#analyzer = new SessionAnalyzer(this.#id, this.#version.detection);
      this.loops.clear();
      this.#observer.onFault(this.#id, error);
    }
    this.loops.note(verdicts);
    this.#noteLimit(verdicts);
    return { event, verdicts, ...(refused !== undefined && { refused }) };
  }

  snapshot(): Pick<GatewaySnapshot, 'analyzer' | 'open' | 'limit'> {
    return {
      // A gateway never repeats an event, and ids would be most of the snapshot.
      analyzer: { ...this.#analyzer.snapshot(), ids: NO_IDS },
      open: this.loops.verdicts,
      limit: this.limit ?? null,
    };
  }

  restore({ analyzer, open, limit }: Pick<GatewaySnapshot, 'analyzer' | 'open' | 'limit'>): void {
    this.#analyzer.restore(analyzer);
    this.loops.note(open);
    this.limit = limit ?? undefined;
  }

  #eventOf(body: EventBody, now: number): AgentEvent {
    const isShort = body.type === 'content' || body.type === 'thought';
    const id = `${this.#origin}-${String(this.#events)}`;
    this.#events += 1;
    return { v: 1, id, sessionId: this.#id, time: now, ...body, ...(isShort ? {} : this.labels) };
  }

  #noteLimit(verdicts: readonly PureVerdict[]): void {
    for (const verdict of verdicts)
      if (verdict.detector === 'tool-limit' && isOpenAfter(verdict))
        this.limit = verdict.evidence.limit_message;
  }
}

/** A session's event without the fields common to all events. */
export type EventBody =
  | { readonly type: 'prompt_started' | 'content' | 'thought'; readonly text: string }
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
    }
  | { readonly type: 'turn_finished'; readonly finishReason: string | null; readonly usage?: object }
  | { readonly type: 'control'; readonly set: object; readonly unset: readonly string[] };

/** The event of a new history entry. */
export function eventBodyOf(entry: HistoryEntry): EventBody {
  switch (entry.type) {
    case 'prompt':
      return { type: 'prompt_started', text: entry.text };
    case 'turn':
      return { type: 'turn_started' };
    case 'call':
      return {
        type: 'tool_call_request',
        callId: entry.call.id,
        name: entry.call.name.slice(0, MAX_NAME_UNITS),
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
