import { type AgentEvent, type DetectionInput, detectionSchema } from '@loopwatch/contract';
import {
  type Decision,
  deniedResult,
  detectionOf,
  OpenVerdicts,
  type ProposedCall,
  type PureVerdict,
  stoppedDecision,
  WatchedSession,
} from '@loopwatch/detectors';
import type { VerdictOrigin } from './guard.ts';

/** Ids of verdicts to remember, so that each is reported once. */
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
  readonly #session: WatchedSession;
  /** Prefix of event ids, which must differ between runs of a session. */
  readonly #run = crypto.randomUUID();
  readonly #knownIds = new Set<string>();
  /** Open incidents of the session, as the server reports them. */
  readonly #serverIncidents = new OpenVerdicts();
  /** Incidents that deny no calls. */
  #dismissed: ReadonlySet<string> = new Set();
  #events = 0;
  #calls = 0;
  stoppedByServer = false;

  constructor(options: SessionAnalysisOptions) {
    this.#options = options;
    this.#session = new WatchedSession(options.id, detectionOf(detectionSchema.parse(options.settings)));
  }

  decide(call: ProposedCall): Decision {
    if (this.stoppedByServer) return stoppedDecision();
    return this.#session.decide(call, Date.now(), {
      incidents: this.#serverIncidents.verdicts,
      dismissed: this.#dismissed,
    });
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
  recordDenied(call: ProposedCall, decision: Decision): string {
    const denied = deniedResult(decision);
    this.record({ ...denied, callId: this.recordCall(call) });
    return denied.result;
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
    const { verdicts, fault } = this.#session.push(event);
    for (const verdict of verdicts) this.#report(verdict, 'guard');
    if (fault !== undefined) throw fault;
  }

  /** Adds a verdict of the server. */
  addServerVerdict(verdict: PureVerdict): void {
    this.#serverIncidents.note([verdict]);
    this.#report(verdict, 'server');
  }

  /** Sets the incidents that users marked as false positives or muted. */
  dismiss(incidentIds: readonly string[]): void {
    this.#dismissed = new Set(incidentIds);
  }

  isDismissed({ incidentId }: { readonly incidentId: string | null }): boolean {
    return incidentId !== null && this.#dismissed.has(incidentId);
  }

  #report(verdict: PureVerdict, origin: VerdictOrigin): void {
    if (this.#knownIds.has(verdict.id)) return;
    this.#knownIds.add(verdict.id);
    const [oldest] = this.#knownIds;
    if (this.#knownIds.size > MAX_KNOWN && oldest !== undefined) this.#knownIds.delete(oldest);
    this.#options.onVerdict(verdict, origin);
  }
}
