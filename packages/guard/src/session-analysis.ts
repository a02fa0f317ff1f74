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

/** Verdict and incident ids to remember, so that each verdict is reported once. */
const MAX_KNOWN = 10_000;

type EventBody = { readonly type: AgentEvent['type'] } & Readonly<Record<string, unknown>>;

export interface SessionAnalysisOptions {
  readonly id: string;
  readonly agent: string | undefined;
  readonly parentId: string | undefined;
  readonly settings: DetectionInput;
  readonly onEvent: (sessionId: string, event: AgentEvent) => void;
  readonly onVerdict: (verdict: PureVerdict, origin: VerdictOrigin) => void;
}

/** Analyzes a session, and combines the result with the verdicts of the server. */
export class SessionAnalysis {
  readonly #options: SessionAnalysisOptions;
  readonly #analyzer: SessionAnalyzerHandle;
  /** Prefix of event ids, which must differ between runs of a session. */
  readonly #run = crypto.randomUUID();
  readonly #knownIds = new Set<string>();
  readonly #serverVerdicts = new OpenVerdicts();
  /** Incidents that deny no calls. */
  #dismissed: ReadonlySet<string> = new Set();
  #events = 0;
  #calls = 0;
  stoppedByServer = false;

  constructor(options: SessionAnalysisOptions) {
    this.#options = options;
    this.#analyzer = createSessionAnalyzer(options.settings);
  }

  decide(call: ProposedCall): Decision {
    if (this.stoppedByServer) return STOPPED;
    const own = this.#analyzer.decide(call);
    if (own.action === 'deny') return this.isDismissed(own) ? ALLOWED : own;
    const verdict = this.#serverVerdicts.verdicts.find((open) => this.#denies(open, call));
    if (verdict === undefined) return own;
    const { reason, incidentId } = verdict;
    return { action: 'deny', reason, guidance: guidanceOf(verdict), incidentId };
  }

  /** @returns the call id for its result */
  recordCall({ name, args }: ProposedCall): string {
    const callId = `call-${String((this.#calls += 1))}`;
    this.record({ type: 'tool_call_request', callId, name, args });
    return callId;
  }

  recordResult(callId: string, result: unknown, isError: boolean): void {
    this.record({ type: 'tool_result', callId, result, isError });
  }

  /** Records a denied call, which counts as a repetition. @returns the text that replaces the result */
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
      this.#report(verdict, 'guard');
    }
  }

  /** Adds a verdict of the server. Incidents that the local analyzer has found are more up to date locally. */
  addServerVerdict(verdict: PureVerdict): void {
    if (!this.#knownIds.has(verdict.incidentId)) this.#serverVerdicts.note([verdict]);
    this.#report(verdict, 'server');
  }

  /** Sets the incidents that users marked as false positives or muted. */
  dismiss(incidentIds: readonly string[]): void {
    this.#dismissed = new Set(incidentIds);
  }

  isDismissed({ incidentId }: { readonly incidentId: string | null }): boolean {
    return incidentId !== null && this.#dismissed.has(incidentId);
  }

  /** Whether a verdict of the server denies the call. */
  #denies(verdict: PureVerdict, call: ProposedCall): boolean {
    const { kind, detector, action, tool, incidentId } = verdict;
    if ((action !== 'block' && action !== 'chance') || this.#knownIds.has(incidentId)) return false;
    if (this.isDismissed(verdict)) return false;
    if (kind === 'limit') return true;
    if (!callDetectors.has(detector) || tool == null) return false;
    if (detector === 'stagnation' && action === 'block') return tool.name === call.name;
    return tool.signature === `${call.name}:${canonicalArguments(call.args)}`;
  }

  #report(verdict: PureVerdict, origin: VerdictOrigin): void {
    if (this.#knownIds.has(verdict.id)) return;
    this.#remember(verdict.id);
    this.#options.onVerdict(verdict, origin);
  }

  #remember(id: string): void {
    this.#knownIds.add(id);
    const [oldest] = this.#knownIds;
    if (this.#knownIds.size > MAX_KNOWN && oldest !== undefined) this.#knownIds.delete(oldest);
  }
}

const STOPPED: Decision = {
  ...ALLOWED,
  action: 'deny',
  reason: 'The session was stopped in Loopwatch',
  guidance:
    'The session was stopped in Loopwatch. Make no more tool calls: say what is done and what is left, and end your turn.',
};
