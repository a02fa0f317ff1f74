import {
  type AgentEvent,
  type DetectionInput,
  isOpenAfter,
  type Verdict,
  verdictPhases,
} from '@loopwatch/contract';
import type { Decision, ProposedCall, PureVerdict } from '@loopwatch/detectors';
import {
  deniedResult,
  detectionOf,
  knownElsewhere,
  settingsFrom,
  stoppedDecision,
  WatchedSession,
} from '@loopwatch/detectors/internal';
import type { VerdictOrigin } from './guard.ts';

/** Verdicts and incidents to remember. */
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
  /** The latest verdict of each incident that the server reports. */
  readonly #serverIncidents = new Map<string, PureVerdict>();
  /** Incidents that deny no calls. */
  #dismissed: ReadonlySet<string> = new Set();
  #events = 0;
  #calls = 0;
  stoppedByServer = false;

  constructor(options: SessionAnalysisOptions) {
    this.#options = options;
    this.#session = new WatchedSession(options.id, detectionOf(settingsFrom(options.settings)));
  }

  decide(call: ProposedCall): Decision {
    if (this.stoppedByServer) return stoppedDecision();
    const incidents = [...this.#serverIncidents.values()].filter(isOpenAfter);
    return this.#session.decide(call, Date.now(), knownElsewhere(incidents, this.#dismissed));
  }

  /** @returns the call id for its result */
  recordCall({ name, args }: ProposedCall, counts?: boolean): string {
    const callId = `call-${String((this.#calls += 1))}`;
    this.record({ type: 'tool_call_request', callId, name, args }, counts);
    return callId;
  }

  recordResult(callId: string, result: unknown, isError: boolean): void {
    // A tool may return an error as its result.
    this.record({ type: 'tool_result', callId, result, ...(isError && { isError }) });
  }

  /** Records a denied call, which may count as a repetition. @returns the text that replaces the result */
  recordDenied(call: ProposedCall, decision: Decision, counts: boolean): string {
    const denied = deniedResult(decision);
    this.record({ ...denied, callId: this.recordCall(call, counts) }, counts);
    return denied.result;
  }

  record(body: EventBody, counts = true): void {
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
    // What does not count keeps its place among the events.
    const { verdicts, fault } = this.#session.push(counts ? event : { ...event, type: 'again' });
    for (const verdict of verdicts) this.#report(verdict, 'guard');
    if (fault !== undefined) throw fault;
  }

  /** Adds a verdict of the server. */
  addServerVerdict(verdict: PureVerdict): void {
    const { incidentId } = verdict;
    const known = this.#serverIncidents.get(incidentId);
    // Verdicts of one moment arrive in any order.
    if (known === undefined || isLater(verdict, known)) this.#serverIncidents.set(incidentId, verdict);
    trim(this.#serverIncidents);
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
    trim(this.#knownIds);
    this.#options.onVerdict(verdict, origin);
  }
}

type Position = Pick<Verdict, 'eventIndex' | 'phase'>;

function isLater(a: Position, b: Position): boolean {
  const order =
    a.eventIndex - b.eventIndex || verdictPhases.indexOf(a.phase) - verdictPhases.indexOf(b.phase);
  return order >= 0;
}

/** Drops the oldest entry if there are too many. */
function trim(known: Pick<Map<string, unknown>, 'size' | 'keys' | 'delete'>): void {
  const [oldest] = known.keys();
  if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
}
