import { type AgentEvent, type CheckAnswer, eventTime, type KnownEvent } from '@loopwatch/contract';
import type { CallHistory } from './call-history.ts';
import { chatCommands } from './chat-commands.ts';
import type { Detection } from './detection.ts';
import { type BankSnapshot, DetectorBank } from './detector-bank.ts';
import type { Finding, Step } from './finding.ts';
import { LastTurn, type LastTurnSnapshot } from './last-turn.ts';
import type { Mark } from './mark.ts';
import { RecentIds, type RecentIdsSnapshot } from './recent-ids.ts';
import type { SemanticCheck } from './semantic/semantic-check.ts';
import { SessionLabels } from './session-labels.ts';
import { SessionPlan } from './session-plan.ts';
import type { SessionOverrides } from './session-settings.ts';
import { SessionTotals, type TotalsSnapshot } from './session-totals.ts';
import { incidentId, type PureVerdict, type Scene, toVerdict } from './verdict.ts';

/** No verdict: shared, because most events have none. */
const NONE: readonly PureVerdict[] = [];
const NO_EVENT: KnownEvent = { type: 'turn_started' };
const NO_FINDINGS: Finding[] = [];
const NO_IDS: readonly string[] = [];
const NO_INCIDENTS: readonly [string, string][] = [];
/** What became of an event, for those who count. */
export type Reception = 'analyzed' | 'duplicate' | 'refused_setting';

/** A model request, by its number in its prompt. */
export interface TurnRequest {
  readonly number: number;
  readonly allowed: number;
}

/**
 * One session under watch: takes its events in order and says what loops. It holds all state of the session, reads no
 * clock, and gives the same verdicts for the same events, always.
 */
export class SessionAnalyzer implements Step {
  readonly sessionId: string;
  /** Time of the newest event, epoch ms. */
  lastTime = 0;
  /** What became of the last event; with `refused_setting`, {@link refusal} says why. */
  reception: Reception = 'analyzed';
  refusal = '';
  /** Incidents that the last event left open for ever, by starting the session afresh after a pause. */
  abandoned: readonly string[] = NO_IDS;
  /** The model request that the last event began, where their number is limited. */
  turnRequest: TurnRequest | null = null;
  private readonly plan: SessionPlan;
  private bank: DetectorBank;
  private ids = new RecentIds();
  private totals = new SessionTotals();
  private turn = new LastTurn();
  private readonly labels = new SessionLabels();
  /** Ids of open incidents by detector and key; most sessions never have any. */
  private incidents: Map<string, string> | undefined;

  /** The event at hand; let go afterwards, because its arguments or results can be large. */
  event: KnownEvent = NO_EVENT;
  time = 0;
  private position = -1;
  private currentMark: Mark | undefined;
  private findings = NO_FINDINGS;

  constructor(sessionId: string, detection: Detection) {
    this.sessionId = sessionId;
    this.plan = new SessionPlan(detection);
    this.bank = new DetectorBank(this.plan.current);
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
    if (this.totals.events > 0 && time - this.lastTime > this.plan.current.idleMs) this.startAfresh();
    else if (this.abandoned !== NO_IDS) this.abandoned = NO_IDS;
    this.reception = 'analyzed';
    this.turnRequest = null;
    if (typeof event.id !== 'string') this.ids.skip();
    else if (!this.ids.add(event.id)) {
      this.reception = 'duplicate';
      return NONE;
    }
    this.event = event as KnownEvent;
    this.time = time;
    this.lastTime = time;
    this.position = position;
    this.currentMark = undefined;
    this.labels.note(event);
    if (this.plan.hasTiers && this.plan.chooseTier(this.labels.values()))
      this.bank.adopt(this.plan.current, this);
    if (this.event.type === 'control') this.control(this.event);
    else if (this.event.type === 'prompt_started') this.obey(this.event.text ?? '');
    const { type } = this.event;
    const repeated = this.turn.repeatsBeginning(type);
    if (this.turn.isFirst(type)) this.rememberTurn();
    if (type === 'retry') {
      this.closeTaken();
      this.bank.semantic?.push(this);
    } else if (!repeated) this.bank.push(this);
    if (type === 'session_ended') this.bank.close(this, 'ended');
    let verdicts = NONE;
    if (this.findings.length === 0) this.totals.count(this.event);
    else verdicts = this.conclude(origins);
    if (type === 'retry') this.takeBack();
    else if (repeated) this.totals.turns -= 1;
    else this.turn.pass(type);
    this.event = NO_EVENT;
    this.currentMark = undefined;
    return verdicts;
  }

  /**
   * The check that the last event raised, to be asked for after every push where there is somebody to answer it. It
   * is handed out once; the session goes on meanwhile.
   */
  takeCheck(): SemanticCheck | undefined {
    return this.bank.semantic?.takeCheck(this.sessionId, () => this.labels.values());
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
    return [this.verdict(finding, slotOf(finding), { sessionId: this.sessionId, ...scene }, origins)];
  }

  get calls(): CallHistory | null {
    return this.bank.calls;
  }

  mark(): Mark {
    this.currentMark ??= this.totals.mark(this.event, this.time, this.position);
    return this.currentMark;
  }

  get contentOffset(): number {
    return this.totals.contentUnits;
  }

  get thoughtOffset(): number {
    return this.totals.thoughtUnits;
  }

  emit(finding: Finding): void {
    if (this.findings === NO_FINDINGS) this.findings = [finding];
    else this.findings.push(finding);
  }

  noteTurnRequest(number: number, allowed: number): void {
    this.turnRequest = { number, allowed };
  }

  /** Ids of the incidents that are open now. */
  get openIncidents(): string[] {
    return [...(this.incidents?.values() ?? [])];
  }

  /** Index of the last event that was no duplicate. */
  get eventIndex(): number {
    return this.totals.events - 1;
  }

  /** Turns the findings of this event into verdicts, and counts the event. */
  private conclude(origins: number[] | undefined): PureVerdict[] {
    const before = this.mark();
    this.totals.count(this.event);
    const after = this.totals.mark(this.event, this.time, this.position);
    const scene = { sessionId: this.sessionId, ...this.labels.values(), before, after };
    const verdicts = this.findings.flatMap((found) => {
      const slot = slotOf(found);
      const open = this.incidents?.get(slot);
      const finding = this.turn.news(found, slot, open !== undefined);
      return finding === undefined ? [] : [this.verdict(finding, slot, scene, origins)];
    });
    this.findings = NO_FINDINGS;
    return verdicts;
  }

  private verdict(finding: Finding, slot: string, scene: Scene, origins: number[] | undefined): PureVerdict {
    const incident = this.incidents?.get(slot) ?? incidentId(finding, scene);
    if (finding.phase === 'resolved') this.incidents?.delete(slot);
    else (this.incidents ??= new Map<string, string>()).set(slot, incident);
    origins?.push(finding.since.position);
    return toVerdict(finding, scene, incident, this.plan.current);
  }

  /** The state that a turn finds, in case it is streamed again. */
  private rememberTurn(): void {
    const { turns, calls } = this.totals;
    this.turn.begin({
      turns,
      calls,
      incidents: this.incidents === undefined ? NO_INCIDENTS : [...this.incidents],
      detectors: this.bank.revocableStates(),
      history: this.calls?.snapshot() ?? null,
    });
  }

  /** Ends the incidents that the turn opened; those that it found open go on, with what was told of them. */
  private closeTaken(): void {
    const { checkpoint } = this.turn;
    if (checkpoint === null) return;
    const before = new Map(checkpoint.incidents);
    this.bank.closeRevocable(this);
    this.findings = this.findings.filter((finding) => {
      const slot = slotOf(finding);
      return this.incidents?.get(slot) !== before.get(slot);
    });
  }

  /** Takes back what the last turn added to detectors and counters; offsets, indices and costs go on. */
  private takeBack(): void {
    const { checkpoint } = this.turn;
    this.turn.takeBack();
    if (checkpoint === null) return;
    this.totals.turns = checkpoint.turns;
    this.totals.calls = checkpoint.calls;
    this.bank.rewind(this.plan.current, checkpoint.detectors, checkpoint.history);
  }

  /** Does what the user asks for in the prompt; each command stands for itself. */
  private obey(text: string): void {
    for (const command of chatCommands(text)) {
      if ('refused' in command) this.refuse(command.refused);
      else this.control(command);
    }
  }

  private refuse(why: string): void {
    this.refusal = this.reception === 'refused_setting' ? `${this.refusal}; ${why}` : why;
    this.reception = 'refused_setting';
  }

  private control(change: Parameters<SessionPlan['change']>[0]): void {
    const refused = this.plan.change(change);
    if (refused === undefined) this.bank.adopt(this.plan.current, this);
    else this.refuse(refused);
  }

  /** After a long pause nothing of the past counts; what was open then stays as it was last reported. */
  private startAfresh(): void {
    this.plan.reset();
    this.bank = new DetectorBank(this.plan.current);
    this.ids = new RecentIds();
    this.totals = new SessionTotals();
    this.turn = new LastTurn();
    this.labels.clear();
    this.abandoned = this.openIncidents;
    this.incidents = undefined;
  }

  /** The whole state as JSON. */
  snapshot(): SessionSnapshot {
    return {
      v: 1,
      lastTime: this.lastTime,
      overrides: this.plan.overrides,
      ids: this.ids.snapshot(),
      totals: this.totals.snapshot(),
      turn: this.turn.snapshot(),
      labels: this.labels.values(),
      incidents: [...(this.incidents ?? [])],
      ...this.bank.snapshot(),
    };
  }

  /** Takes the state of a session that was analyzed with the same detection settings. */
  restore(snapshot: SessionSnapshot): void {
    this.lastTime = snapshot.lastTime;
    this.ids = new RecentIds();
    this.ids.restore(snapshot.ids);
    this.totals = Object.assign(new SessionTotals(), snapshot.totals);
    this.turn = LastTurn.restore(snapshot.turn);
    this.labels.clear();
    this.labels.note(snapshot.labels);
    this.plan.restore(snapshot.overrides, this.labels.values());
    this.incidents = new Map(snapshot.incidents);
    this.bank = DetectorBank.restore(this.plan.current, snapshot);
  }
}

/** Tells the incidents apart that can be open at the same time. */
function slotOf({ detector, key }: Finding): string {
  return `${detector} ${key}`;
}

export interface SessionSnapshot extends BankSnapshot {
  readonly v: 1;
  readonly lastTime: number;
  readonly overrides: SessionOverrides;
  readonly ids: RecentIdsSnapshot;
  readonly totals: TotalsSnapshot;
  readonly turn: LastTurnSnapshot;
  readonly labels: ReturnType<SessionLabels['values']>;
  readonly incidents: readonly (readonly [string, string])[];
}
