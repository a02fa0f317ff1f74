import {
  type AgentEvent,
  type CheckAnswer,
  eventTime,
  type KnownEvent,
  type OpenIncidentSummary,
} from '@loopwatch/contract';
import type { SemanticCheck } from '../detectors/semantic/semantic-check.ts';
import type { Finding } from '../incident/finding.ts';
import { NO_OPEN_INCIDENTS, type OpenIncident, OpenIncidents, slotOf } from '../incident/open-incidents.ts';
import { type Labels, labelsAfter, NO_LABELS } from '../incident/session-labels.ts';
import { thresholdOrigin } from '../incident/threshold.ts';
import type { PureVerdict, Scene } from '../incident/verdict.ts';
import type { Detection } from '../plan/detection.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import { chatCommands } from '../settings/chat-commands.ts';
import type { SessionOverrides } from '../settings/session-settings.ts';
import { type BankSnapshot, DetectorBank } from './detector-bank.ts';
import { KnownIds, type KnownIdsSnapshot } from './known-ids.ts';
import { LastTurn, type LastTurnSnapshot } from './last-turn.ts';
import { accountOf, type SessionAccount } from './session-account.ts';
import { SessionPlan } from './session-plan.ts';
import { SessionStep } from './session-step.ts';
import { SessionTotals, type TotalsSnapshot } from './session-totals.ts';

/** No verdict: shared, because most events have none. */
const NONE: readonly PureVerdict[] = [];
const NO_IDS: readonly string[] = [];
/** To be raised when a snapshot is not what it was: older ones are not to be restored then. */
export const snapshotVersion = 4;

/** What became of an event, for those who count. */
export type Reception = 'analyzed' | 'duplicate' | 'refused_setting';

/**
 * One session under watch: takes its events in order and says what loops. It holds all state of the session, reads no
 * clock, and gives the same verdicts for the same events, always.
 */
export class SessionAnalyzer extends SessionStep {
  readonly sessionId: string;
  /** What became of the last event; with `refused_setting`, {@link refusal} says why. */
  reception: Reception = 'analyzed';
  refusal = '';
  /** Incidents that the last event left open for ever, by restarting the session after a pause. */
  abandoned: readonly string[] = NO_IDS;
  private readonly plan: SessionPlan;
  private labels = NO_LABELS;
  protected bank: DetectorBank;
  private ids = new KnownIds();
  private turn = new LastTurn();
  private incidents = NO_OPEN_INCIDENTS;

  constructor(sessionId: string, detection: Detection) {
    super();
    this.sessionId = sessionId;
    this.plan = new SessionPlan(detection);
    this.bank = new DetectorBank(detection.plan, detection.semantic);
  }

  /** Time of the newest event, epoch ms. */
  get lastTime(): number {
    return this.time;
  }

  /** The server's settings that the session was last analyzed by. */
  get detection(): Detection {
    return this.plan.server;
  }

  /** What the session is watched by now: the settings of all tiers together. */
  get currentPlan(): DetectionPlan {
    return this.plan.current;
  }

  /** The server's settings are others from the session's next event on; what they end, ends with that event. */
  adopt(detection: Detection): void {
    this.plan.replaceServer(detection);
  }

  /**
   * Takes the session's next event.
   *
   * @param fallbackTime event time, epoch ms, of an event that carries none; default: the time of the event before
   * @param position the caller's own position of the event, for example its offset in a log
   * @param origins receives, for each verdict, the position at which its loop began
   */
  push(
    event: AgentEvent,
    fallbackTime = this.lastTime,
    position = -1,
    origins?: number[],
  ): readonly PureVerdict[] {
    const own = eventTime(event, fallbackTime);
    const time = Number.isFinite(own) ? own : fallbackTime;
    const isAfterPause = this.totals.events > 0 && time - this.lastTime > this.plan.current.idleMs;
    if (this.abandoned !== NO_IDS) this.abandoned = NO_IDS;
    this.turnRequest = null;
    if (typeof event.id === 'string' && !this.ids.add(event.id, isAfterPause)) {
      this.reception = 'duplicate';
      return NONE;
    }
    this.reception = 'analyzed';
    // Not for a duplicate: a copied history neither ends a pause nor begins one.
    if (isAfterPause) this.restartSession();
    this.labels = labelsAfter(this.labels, event);
    this.begin(event as KnownEvent, time, position);
    const { bank, turn } = this;
    const { type } = this.event;
    if (this.plan.mayChange && this.plan.settle(this.labels)) bank.adopt(this.plan.current, this);
    if (type === 'control' || type === 'prompt_started') this.obey();
    const repeated = turn.repeatsBeginning(type);
    if (turn.isFirst(type)) turn.begin(this.totals, this.incidents, bank);
    if (type === 'retry') {
      turn.closeTaken(this.incidents, bank, this);
      bank.semantic?.push(this);
    } else if (!repeated) bank.push(this);
    if (type === 'session_ended') bank.close(this, 'ended');
    let verdicts = NONE;
    if (this.findings.length === 0) this.totals.count(this.event);
    else verdicts = this.conclude(origins);
    if (type === 'retry') turn.takeBack(this.totals, bank, this.plan.current);
    else if (repeated) this.totals.turns -= 1;
    else turn.pass(type);
    this.end();
    return verdicts;
  }

  /** Turns the findings of this event into verdicts, and counts the event. */
  private conclude(origins: number[] | undefined): PureVerdict[] {
    const scene = { sessionId: this.sessionId, ...this.labels, ...this.count() };
    return this.findings.flatMap((found) => {
      const slot = slotOf(found);
      const finding = this.turn.news(found, slot, this.incidents.id(slot) !== undefined);
      return finding === undefined ? [] : [this.verdict(finding, scene, origins)];
    });
  }

  private verdict(finding: Finding, scene: Scene, origins: number[] | undefined): PureVerdict {
    origins?.push(finding.since.position);
    if (this.incidents === NO_OPEN_INCIDENTS) this.incidents = new OpenIncidents();
    const origin = thresholdOrigin(finding, this.plan.tiers(scene));
    return this.incidents.verdict(finding, scene, this.plan.current, origin);
  }

  /** Does what a control event, or the user in the prompt, asks for; each command stands for itself. */
  private obey(): void {
    const { event } = this;
    if (event.type === 'control') this.change(event);
    else if (event.type === 'prompt_started') {
      for (const command of chatCommands(event.text ?? '')) {
        if ('refused' in command) this.refuse(command.refused);
        else this.change(command);
      }
    }
  }

  private change(change: Parameters<SessionPlan['change']>[0]): void {
    const refused = this.plan.change(change);
    if (refused === undefined) this.bank.adopt(this.plan.current, this);
    else this.refuse(refused);
  }

  private refuse(why: string): void {
    this.refusal = this.reception === 'refused_setting' ? `${this.refusal}; ${why}` : why;
    this.reception = 'refused_setting';
  }

  /** After a long pause nothing of the past counts, but its ids stay known; what was open stays as it was last reported. */
  private restartSession(): void {
    this.plan.reset();
    this.bank = new DetectorBank(this.plan.current, this.plan.semantic);
    this.ids.restart();
    this.totals = new SessionTotals();
    this.turn = new LastTurn();
    this.labels = NO_LABELS;
    this.abandoned = this.openIncidents;
    this.incidents = NO_OPEN_INCIDENTS;
  }

  /**
   * The check that the last event raised, to be asked for after every push where there is somebody to answer it. It
   * is handed out once; the session goes on meanwhile.
   */
  takeCheck(): SemanticCheck | undefined {
    return this.bank.semantic?.takeCheck(this.sessionId, () => this.labels);
  }

  /** The check that was under way when the session's state was saved: nobody may be asking it any more. */
  get checkUnderWay(): SemanticCheck | undefined {
    return this.bank.semantic?.checkUnderWay(this.sessionId);
  }

  /**
   * Takes the answer to a check, however late; its verdict belongs to the event that raised the check.
   *
   * @param origins receives, for each verdict, the position at which its loop began
   * @returns undefined when the check is over, because a new prompt has begun
   */
  answer(id: string, answer: CheckAnswer, origins?: number[]): readonly PureVerdict[] | undefined {
    const settled = this.bank.semantic?.answer(this.sessionId, id, answer);
    if (settled === undefined) return undefined;
    const { finding, scene } = settled;
    if (finding === undefined) return NONE;
    return [this.verdict(finding, { sessionId: this.sessionId, ...scene }, origins)];
  }

  /** Ids of the incidents that are open now. */
  get openIncidents(): string[] {
    return this.incidents.ids;
  }

  /** How the open incidents stand, the last event included. */
  get openIncidentSummaries(): OpenIncidentSummary[] {
    return this.incidents.summaries(this.markNow());
  }

  goOn(slot: string, count: number): void {
    this.incidents.goOn(slot, count);
  }

  /** Index of the last event that was no duplicate. */
  get eventIndex(): number {
    return this.totals.events - 1;
  }

  /** The caller's own position of the last event that was no duplicate; -1 where it gave none. */
  get lastPosition(): number {
    return this.position;
  }

  get account(): SessionAccount {
    return accountOf(this.totals, this.labels, this.plan.current);
  }

  /** The whole state as JSON. */
  snapshot(): SessionSnapshot {
    return {
      v: snapshotVersion,
      lastTime: this.lastTime,
      position: this.position,
      overrides: this.plan.overrides,
      ids: this.ids.snapshot(),
      totals: this.totals.snapshot(),
      turn: this.turn.snapshot(),
      labels: this.labels,
      incidents: this.incidents.snapshot(),
      ...this.bank.snapshot(),
    };
  }

  /** Takes the state of an analyzer with the same detection settings. */
  restore(snapshot: SessionSnapshot): void {
    this.time = snapshot.lastTime;
    this.position = snapshot.position;
    this.ids = new KnownIds();
    this.ids.restore(snapshot.ids);
    this.totals = Object.assign(new SessionTotals(), snapshot.totals);
    this.turn = LastTurn.restore(snapshot.turn);
    this.labels = labelsAfter(NO_LABELS, snapshot.labels);
    this.plan.restore(snapshot.overrides, this.labels);
    this.incidents = OpenIncidents.of(snapshot.incidents);
    this.bank = new DetectorBank(this.plan.current, this.plan.semantic);
    this.bank.restore(this.plan.current, snapshot);
  }
}

export interface SessionSnapshot extends BankSnapshot {
  readonly v: typeof snapshotVersion;
  readonly lastTime: number;
  readonly position: number;
  readonly overrides: SessionOverrides;
  readonly ids: KnownIdsSnapshot;
  readonly totals: TotalsSnapshot;
  readonly turn: LastTurnSnapshot;
  readonly labels: Labels;
  readonly incidents: readonly OpenIncident[];
}
