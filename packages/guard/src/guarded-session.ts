import { type AgentEvent, callDetectors, type DetectionInput } from '@loopwatch/contract';
import {
  ALLOWED,
  canonicalArguments,
  createSessionAnalyzer,
  type Decision,
  denialText,
  guidanceOf,
  OpenVerdicts,
  type ProposedCall,
  type PureVerdict,
  type SessionAnalyzerHandle,
} from '@loopwatch/detectors';
import type { VerdictOrigin } from './guard.ts';

/** Verdicts and incidents that are remembered, so that each is told once. */
const MAX_KNOWN = 10_000;

type EventBody = { readonly type: AgentEvent['type'] } & Readonly<Record<string, unknown>>;

export interface SessionOptions {
  readonly id: string;
  readonly agent: string | undefined;
  readonly parentId: string | undefined;
  readonly settings: DetectionInput;
  readonly onEvent: (sessionId: string, event: AgentEvent) => void;
  readonly onVerdict: (verdict: PureVerdict, origin: VerdictOrigin) => void;
}

/** One session: its analyzer, and what the server says of it. */
export class GuardedSession {
  readonly #options: SessionOptions;
  readonly #analyzer: SessionAnalyzerHandle;
  /** Ids of events have to differ between runs of a session. */
  readonly #run = crypto.randomUUID();
  readonly #known = new Set<string>();
  readonly #ofServer = new OpenVerdicts();
  /** Incidents that deny nothing. */
  #dismissed: ReadonlySet<string> = new Set();
  #events = 0;
  #calls = 0;
  stoppedByServer = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#analyzer = createSessionAnalyzer(options.settings);
  }

  decide(call: ProposedCall): Decision {
    if (this.stoppedByServer) return STOPPED;
    const own = this.#analyzer.decide(call);
    if (own.action === 'deny') return this.isDismissed(own) ? ALLOWED : own;
    const about = this.#ofServer.verdicts.find((verdict) => this.#concerns(verdict, call));
    if (about === undefined) return own;
    const { reason, incidentId } = about;
    return { action: 'deny', reason, guidance: guidanceOf(about), incidentId };
  }

  /** @returns the id that its result has to name */
  recordCall({ name, args }: ProposedCall): string {
    const callId = `call-${String((this.#calls += 1))}`;
    this.record({ type: 'tool_call_request', callId, name, args });
    return callId;
  }

  recordResult(callId: string, result: unknown, isError: boolean): void {
    this.record({ type: 'tool_result', callId, result, isError });
  }

  /** A denied call counts as a repetition. @returns what the model gets in place of a result */
  recordDenied(call: ProposedCall, { guidance, reason }: Decision): string {
    const text = denialText(guidance ?? reason ?? '');
    this.recordResult(this.recordCall(call), text, true);
    return text;
  }

  record(body: EventBody): void {
    const { id: sessionId, agent, parentId } = this.#options;
    const event = {
      v: 1,
      id: `${this.#run}-${String((this.#events += 1))}`,
      sessionId,
      time: Date.now(),
      ...(agent !== undefined && { agent }),
      ...(parentId !== undefined && { parentSessionId: parentId }),
      ...body,
    } as AgentEvent;
    this.#options.onEvent(sessionId, event);
    for (const verdict of this.#analyzer.push(event)) {
      this.#remember(verdict.incidentId);
      this.#tell(verdict, 'guard');
    }
  }

  /** Takes a verdict of the server. What the analyzer here has found itself, it knows better and sooner. */
  takeVerdict(verdict: PureVerdict): void {
    if (!this.#known.has(verdict.incidentId)) this.#ofServer.note([verdict]);
    this.#tell(verdict, 'server');
  }

  /** What a person holds for a false positive, or has muted. */
  dismiss(incidentIds: readonly string[]): void {
    this.#dismissed = new Set(incidentIds);
  }

  isDismissed({ incidentId }: { readonly incidentId: string | null }): boolean {
    return incidentId !== null && this.#dismissed.has(incidentId);
  }

  #concerns(verdict: PureVerdict, call: ProposedCall): boolean {
    const { kind, detector, action, tool, incidentId } = verdict;
    if ((action !== 'block' && action !== 'chance') || this.#known.has(incidentId)) return false;
    if (this.isDismissed(verdict)) return false;
    if (kind === 'limit') return true;
    if (!callDetectors.has(detector) || tool == null) return false;
    if (detector === 'stagnation' && action === 'block') return tool.name === call.name;
    return tool.signature === `${call.name}:${canonicalArguments(call.args)}`;
  }

  #tell(verdict: PureVerdict, origin: VerdictOrigin): void {
    if (this.#known.has(verdict.id)) return;
    this.#remember(verdict.id);
    this.#options.onVerdict(verdict, origin);
  }

  #remember(id: string): void {
    this.#known.add(id);
    const [oldest] = this.#known;
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

const STOPPED: Decision = {
  ...ALLOWED,
  action: 'deny',
  reason: 'The session was stopped in Loopwatch',
  guidance:
    'The session was stopped in Loopwatch. Make no more tool calls: say what is done and what is left, and end your turn.',
};
