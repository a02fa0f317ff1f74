import type { AgentEvent, CheckAnswer } from '@loopwatch/contract';
import { callIdentity, continues, type ProposedCall } from '../incident/call-key.ts';
import { OpenVerdicts } from '../incident/open-verdicts.ts';
import type { PureVerdict } from '../incident/verdict.ts';
import type { Detection } from '../plan/detection.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import { wasDenied } from '../results/result-kind.ts';
import { type Decision, decisionBy, type OpenIncident } from './decide.ts';
import { Denials } from './denials.ts';
import { type Conclusion, NO_VERDICTS, NOTHING_FOUND, type PushResult } from './push-result.ts';
import { SessionAnalyzer } from './session-analyzer.ts';
import type { SessionSnapshot } from './session-snapshot.ts';

/** The result of pushing an event into a {@link WatchedSession}. */
export interface WatchedPush extends PushResult {
  /** The error if detection failed on the event; the session has restarted. */
  readonly fault?: Error;
}

/** A call to be decided, and what the session knows of it. */
export interface CallInQuestion {
  readonly call: ProposedCall;
  /** Event time, epoch ms; and that of the latest prompt that starts over. */
  readonly time: number;
  readonly promptedAt: number;
  readonly plan: DetectionPlan;
  /** Ids of the incidents that this analysis has reported: it knows them better than any other source. */
  readonly reported: ReadonlySet<string>;
}

/** The open incidents that decide a call, made of those that this analysis knows: `knownElsewhere`. */
export type IncidentSelection = (
  own: readonly PureVerdict[],
  question: CallInQuestion,
) => readonly OpenIncident[];

/**
 * One session under watch: its analysis, its open incidents, and the decisions on its calls. Every way in which
 * Loopwatch stops calls uses it, so that the same history leads to the same answer.
 */
export class WatchedSession {
  readonly id: string;
  #analyzer: SessionAnalyzer;
  readonly #open = new OpenVerdicts();
  readonly #reported = new Set<string>();
  /** Event time of the latest prompt that starts over, epoch ms. */
  #promptedAt = Number.NEGATIVE_INFINITY;
  readonly #denials = new Denials();

  constructor(id: string, detection: Detection) {
    this.id = id;
    this.#analyzer = new SessionAnalyzer(id, detection);
  }

  /** The analysis; replaced when the session restarts after a fault. */
  get analysis(): Readonly<Omit<SessionAnalyzer, 'push' | 'adopt' | 'answer' | 'restore' | 'fork'>> {
    return this.#analyzer;
  }

  /** The latest verdict of each open incident. */
  get openVerdicts(): readonly PureVerdict[] {
    return this.#open.verdicts;
  }

  /**
   * Processes the session's next event; parameters as in {@link SessionAnalyzer.push}. If detection fails, the session
   * restarts without history, and the result has the `fault` for the caller to report: no agent stops because of it.
   */
  push(event: AgentEvent, fallbackTime?: number, position?: number): WatchedPush {
    try {
      const pushed = this.#analyzer.push(event, fallbackTime, position);
      if (pushed.isDuplicate) return pushed;
      if (event.type === 'prompt_started' && (this.#analyzer.calls?.prompts.startsOver ?? true)) {
        this.#promptedAt = this.#analyzer.lastTime;
        this.#denials.clear();
      }
      if (pushed.before !== null) this.#open.clear();
      this.#note(pushed);
      this.#noteDenial(event);
      return pushed;
    } catch (error) {
      this.#analyzer = new SessionAnalyzer(this.id, this.#analyzer.detection);
      this.#open.clear();
      this.#reported.clear();
      this.#denials.clear();
      return { ...NOTHING_FOUND, fault: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  /** Processes the answer to a check of the semantic layer. */
  answer(checkId: string, answer: CheckAnswer): Conclusion {
    const conclusion = this.#analyzer.answer(checkId, answer) ?? NO_VERDICTS;
    this.#note(conclusion);
    return conclusion;
  }

  /** Applies other settings of the server from the next event on. */
  adopt(detection: Detection): void {
    if (detection !== this.#analyzer.detection) this.#analyzer.adopt(detection);
  }

  /**
   * The open incidents that a call continues. The call must have been pushed: the analysis resolves incidents that it
   * ends.
   */
  continuedBy(call: ProposedCall): PureVerdict[] {
    const { knowledge } = this.#analyzer.currentPlan;
    return this.#open.verdicts
      .filter((verdict) => continues(verdict, call, knowledge, true))
      .map((verdict) => ({ ...verdict, count: this.#analyzer.countOf(verdict.incidentId) ?? verdict.count }));
  }

  /**
   * Decides about a call before it runs: one that continues an open loop or reaches a limit is denied. The session does
   * not change.
   *
   * @param time event time, epoch ms
   */
  decide(
    call: ProposedCall,
    time = this.#analyzer.lastTime,
    select: IncidentSelection = (own) => own,
  ): Decision {
    const trial = new WatchedSession(this.id, this.#analyzer.detection);
    trial.#analyzer = this.#analyzer.fork();
    trial.#open.note(this.#open.verdicts);
    const { fault } = trial.push({ type: 'tool_call_request', ...call }, time);
    if (fault !== undefined) throw fault;
    const plan = trial.#analyzer.currentPlan;
    const question = { call, time, plan, promptedAt: this.#promptedAt, reported: this.#reported };
    const found = select(trial.continuedBy(call), question);
    const denials = this.#denials.most([
      callIdentity(call, plan.knowledge),
      ...found.map(({ incidentId }) => incidentId),
    ]);
    return decisionBy(found, plan, call, denials);
  }

  /** Denials count for the call itself, and for each loop that it continues. */
  #noteDenial(event: AgentEvent): void {
    if (event.type === 'tool_call_request')
      this.#denials.noteCall(event.callId ?? null, { name: event.name as string, args: event.args });
    if (event.type !== 'tool_result') return;
    const call = this.#denials.takeCall(event.callId ?? null);
    if (call === undefined) return;
    const isDenied = wasDenied(event);
    if (!isDenied && this.#denials.isEmpty) return;
    const identity = callIdentity(call, this.#analyzer.currentPlan.knowledge);
    if (isDenied)
      this.#denials.count([identity, ...this.continuedBy(call).map(({ incidentId }) => incidentId)]);
    else this.#denials.forget(identity);
  }

  snapshot(): WatchedSnapshot {
    const denials = this.#denials.snapshot();
    return {
      sessionId: this.id,
      state: this.#analyzer.snapshot(),
      open: this.#open.verdicts,
      ...(denials && { denials }),
    };
  }

  /** Restores a snapshot of a session with the same detection settings. */
  restore({ state, open = [], denials }: WatchedSnapshot): void {
    this.#analyzer.restore(state);
    this.#open.clear();
    this.#note({ verdicts: open });
    this.#denials.restore(denials);
  }

  #note({ verdicts }: Pick<Conclusion, 'verdicts'>): void {
    if (verdicts.length === 0) return;
    this.#open.note(verdicts);
    for (const { incidentId } of verdicts) this.#reported.add(incidentId);
  }
}

/** A session as JSON. */
export interface WatchedSnapshot {
  readonly sessionId: string;
  readonly state: SessionSnapshot;
  /** The latest verdict of each open incident; absent in snapshots of earlier versions. */
  readonly open?: readonly PureVerdict[];
  /** Denied calls since the latest prompt, by call and incident; absent without any. */
  readonly denials?: Readonly<Record<string, number>>;
}
