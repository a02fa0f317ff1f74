import { type AgentEvent, type CheckAnswer, eventTime, type KnownEvent } from '@loopwatch/contract';
import type { CallHistory } from '../calls/call-history.ts';
import type { SemanticCheck } from '../detectors/semantic/semantic-check.ts';
import type { Finding, Scene } from '../incident/finding.ts';
import { slotOf } from '../incident/incident.ts';
import { NO_OPEN_INCIDENTS, OpenIncidents } from '../incident/open-incidents.ts';
import { type PureVerdict, thresholdOrigin } from '../incident/verdict.ts';
import type { Detection } from '../plan/detection.ts';
import type { DetectionPlan } from '../plan/plan.ts';
import { chatCommands } from '../settings/chat-commands.ts';
import type { Refusal } from '../settings/refusal.ts';
import type { SessionOverrides } from '../settings/session-settings.ts';
import { DetectorBank, SessionStep, withHashes } from './detector-bank.ts';
import { KnownIds } from './known-ids.ts';
import { LastTurn } from './last-turn.ts';
import { type Conclusion, DUPLICATE, NO_VERDICTS, NOTHING_FOUND, type PushResult } from './push-result.ts';
import { labelsAfter, NO_LABELS, SessionTotals } from './session-account.ts';
import { SessionPlan } from './session-plan.ts';
import type { SessionState } from './session-report.ts';
import { type SessionSnapshot, SNAPSHOT_VERSION } from './session-snapshot.ts';

const NO_IDS = new KnownIds().snapshot();
const SEMANTIC_SLOT = slotOf({ detector: 'semantic', key: '' });

/**
 * Analyzes one session: processes its events in order and reports loops. It holds all state of the session, reads no
 * clock, and always gives the same verdicts for the same events.
 */
export class SessionAnalyzer {
  readonly sessionId: string;
  /** Time of the newest event, epoch ms. */
  lastTime = 0;
  /** The caller's position of the last event that was not a duplicate; -1 if it gave none. */
  lastPosition = -1;
  readonly #plan: SessionPlan;
  #labels = NO_LABELS;
  /** The beginnings of the prompts that a person wrote, one a line, if they are shown. */
  #prompts = '';
  #bank: DetectorBank;
  #totals = new SessionTotals();
  #ids = new KnownIds();
  #turn = new LastTurn();
  #incidents = NO_OPEN_INCIDENTS;

  constructor(sessionId: string, detection: Detection) {
    this.sessionId = sessionId;
    this.#plan = new SessionPlan(detection);
    this.#bank = new DetectorBank(detection.plan, detection.semantic);
  }

  /** The server's settings that the session was last analyzed with. */
  get detection(): Detection {
    return this.#plan.server;
  }

  /** The current plan: the merged settings of all tiers. */
  get currentPlan(): DetectionPlan {
    return this.#plan.current;
  }

  /** The session's own settings. */
  get ownSettings(): SessionOverrides {
    return this.#plan.overrides;
  }

  /**
   * Replaces the server's settings, effective with the session's next event; incidents that they end, end at that
   * event.
   */
  adopt(detection: Detection): void {
    this.#plan.replaceServer(detection);
  }

  /**
   * Processes the session's next event.
   *
   * @param fallbackTime event time, epoch ms, of an event without one; default: the time of the previous event
   * @param position the caller's position of the event, for example its offset in a log
   */
  push(event: AgentEvent, fallbackTime = this.lastTime, position = -1): PushResult {
    const own = eventTime(event, fallbackTime);
    const time = Number.isFinite(own) ? own : fallbackTime;
    const isAfterPause = this.#totals.events > 0 && time - this.lastTime > this.#plan.current.idleMs;
    if (typeof event.id === 'string' && !this.#ids.add(event.id, isAfterPause)) return DUPLICATE;
    // Not for a duplicate: a copied history neither ends nor starts a pause.
    const before = isAfterPause ? this.state : null;
    if (isAfterPause) this.#restartSession();
    this.#labels = labelsAfter(this.#labels, event);
    this.lastTime = time;
    this.lastPosition = position;
    const bank = this.#bank;
    const turn = this.#turn;
    const totals = this.#totals;
    const incidents = this.#incidents;
    const step = new SessionStep(withHashes(event) as KnownEvent, time, position, totals, bank, incidents);
    const { type } = step.event;
    if (this.#plan.mayChange && this.#plan.adoptCurrent(this.#labels)) bank.adopt(this.#plan.current, step);
    if (step.event.type === 'turn_finished')
      step.cost = this.#plan.current.prices.costOf(step.event, this.#labels.model);
    const refusals = this.#applyCommands(step.event, step);
    const repeated = turn.repeatsBeginning(type);
    if (turn.startsTurn(type)) turn.takeCheckpoint(totals, incidents, bank);
    if (type === 'retry') {
      turn.closeRetracted(incidents, bank, step);
      bank.semantic?.push(step);
    } else if (!repeated) bank.push(step);
    const { addPrompt } = this.#plan.server;
    if (addPrompt !== undefined && step.event.type === 'prompt_started')
      this.#prompts = addPrompt(this.#prompts, step.event, bank.calls?.prompts.author, this.#plan.current);
    if (type === 'session_ended') bank.close(step, 'ended');
    let found = NO_VERDICTS;
    if (step.findings.length === 0) totals.count(step.event, step.cost);
    else found = this.#conclude(step);
    if (type === 'retry') turn.rewind(totals, bank, this.#plan.current);
    else if (repeated) totals.turns -= 1;
    else turn.advance(type);
    const { turnRequest } = step;
    if (found === NO_VERDICTS && refusals.length === 0 && before === null && turnRequest === null)
      return NOTHING_FOUND;
    return { ...found, isDuplicate: false, refusals, before, turnRequest };
  }

  /** Turns the findings of this event into verdicts, and counts the event. */
  #conclude(step: SessionStep): Conclusion {
    const scene = { sessionId: this.sessionId, ...this.#labels, ...step.count() };
    const verdicts: PureVerdict[] = [];
    const origins: number[] = [];
    for (const found of step.findings) {
      const slot = slotOf(found);
      const finding = this.#turn.reportable(found, slot, this.#incidents.id(slot) !== undefined);
      if (finding === undefined) continue;
      verdicts.push(this.#verdict(finding, scene));
      origins.push(finding.since.position);
    }
    return { verdicts, origins };
  }

  #verdict(finding: Finding, scene: Scene): PureVerdict {
    if (this.#incidents === NO_OPEN_INCIDENTS) this.#incidents = new OpenIncidents();
    const { server, overrides } = this.#plan;
    const origin = thresholdOrigin(finding, scene, server.settings, overrides);
    return this.#incidents.verdict(finding, scene, this.#plan.current, origin);
  }

  /**
   * Applies the commands of a control event, or of the user in the prompt, each independently.
   *
   * @returns why commands were rejected
   */
  #applyCommands(event: KnownEvent, step: SessionStep): readonly Refusal[] {
    if (event.type === 'control') return this.#applyChange(event, step);
    if (event.type !== 'prompt_started') return NOTHING_FOUND.refusals;
    return chatCommands(event.text ?? '').flatMap((command) =>
      'refused' in command ? command.refused : this.#applyChange(command, step),
    );
  }

  #applyChange(change: Parameters<SessionPlan['change']>[0], step: SessionStep): Refusal[] {
    const refusal = this.#plan.change(change);
    if (refusal !== undefined) return [refusal];
    this.#bank.adopt(this.#plan.current, step);
    return [];
  }

  /** Restarts the session after a long pause: only the known ids remain. Open incidents stay as last reported. */
  #restartSession(): void {
    this.#plan.reset();
    this.#bank = new DetectorBank(this.#plan.current, this.#plan.semantic);
    this.#ids.restart();
    this.#totals = new SessionTotals();
    this.#turn = new LastTurn();
    this.#labels = NO_LABELS;
    this.#prompts = '';
    this.#incidents = NO_OPEN_INCIDENTS;
  }

  /**
   * The check that the last event raised, if any. A caller that can answer checks calls this after every push. Each
   * check is returned once; the session continues meanwhile.
   */
  takeCheck(): SemanticCheck | undefined {
    return this.#bank.semantic?.takeCheck(this.sessionId, () => this.#labels);
  }

  /** The check that was pending when the session's state was saved; it may have to be asked again. */
  get checkUnderWay(): SemanticCheck | undefined {
    return this.#bank.semantic?.checkUnderWay(this.sessionId);
  }

  /**
   * Processes the answer to a check, however late; its verdict belongs to the event that raised the check.
   *
   * @returns undefined if the check is obsolete, because a new prompt has started
   */
  answer(id: string, answer: CheckAnswer): Conclusion | undefined {
    const settled = this.#bank.semantic?.answer(this.sessionId, id, answer);
    if (settled === undefined) return undefined;
    const { finding, confirmed, scene } = settled;
    if (finding === undefined) {
      if (confirmed > 0) this.#incidents.noteProgress(SEMANTIC_SLOT, confirmed, scene.before);
      return NO_VERDICTS;
    }
    const verdict = this.#verdict(finding, { sessionId: this.sessionId, ...scene });
    return { verdicts: [verdict], origins: [finding.since.position] };
  }

  /** A copy for trial events, without the known ids. */
  fork(): SessionAnalyzer {
    const copy = new SessionAnalyzer(this.sessionId, this.#plan.server);
    copy.restore({ ...this.#snapshotOfRest(), ids: NO_IDS });
    return copy;
  }

  /** The calls with their results; `null` if results are not considered. */
  get calls(): CallHistory | null {
    return this.#bank.calls;
  }

  /** Ids of the open incidents. */
  get openIncidents(): string[] {
    return this.#incidents.ids;
  }

  /** The current count of an open incident, reported or not. */
  countOf(incidentId: string): number | undefined {
    return this.#incidents.countOf(incidentId);
  }

  /** The session as it is, to report on it; later events change it, unless they come after a long pause. */
  get state(): SessionState {
    return {
      totals: this.#totals,
      labels: this.#labels,
      prompts: this.#prompts,
      incidents: this.#incidents,
      bank: this.#bank,
      plan: this.#plan.current,
      lastTime: this.lastTime,
      lastPosition: this.lastPosition,
    };
  }

  /** Index of the last event that was not a duplicate. */
  get eventIndex(): number {
    return this.#totals.events - 1;
  }

  /** The whole state as JSON. */
  snapshot(): SessionSnapshot {
    return { ...this.#snapshotOfRest(), ids: this.#ids.snapshot() };
  }

  #snapshotOfRest(): Omit<SessionSnapshot, 'ids'> {
    return {
      v: SNAPSHOT_VERSION,
      lastTime: this.lastTime,
      position: this.lastPosition,
      overrides: this.#plan.overrides,
      totals: this.#totals.snapshot(),
      turn: this.#turn.snapshot(this.calls?.rounds ?? []),
      labels: this.#labels,
      ...(this.#prompts !== '' && { prompts: this.#prompts }),
      incidents: this.#incidents.snapshot(),
      coverage: this.#incidents.coverage,
      ...this.#bank.snapshot(),
    };
  }

  /** Restores the state of an analyzer with the same detection settings. */
  restore(snapshot: SessionSnapshot): void {
    this.lastTime = snapshot.lastTime;
    this.lastPosition = snapshot.position;
    this.#ids = new KnownIds();
    this.#ids.restore(snapshot.ids);
    this.#totals = Object.assign(new SessionTotals(), snapshot.totals);
    this.#labels = labelsAfter(NO_LABELS, snapshot.labels);
    this.#prompts = snapshot.prompts ?? '';
    this.#plan.restore(snapshot.overrides, this.#labels);
    this.#incidents = OpenIncidents.of(snapshot.incidents, snapshot.coverage);
    this.#bank = new DetectorBank(this.#plan.current, this.#plan.semantic);
    this.#bank.restore(this.#plan.current, snapshot);
    this.#turn = LastTurn.restore(snapshot.turn, this.calls?.rounds ?? []);
  }
}
