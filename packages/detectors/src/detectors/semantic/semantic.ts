import type { CheckAnswer, EvidenceOf, JudgeAnswer, VerdictOutcome } from '@loopwatch/contract';
import type { Mark } from '../../calls/mark.ts';
import { clipText, quote } from '../../incident/clip-text.ts';
import type {
  Account,
  Detector,
  EventStep,
  Finding,
  IncidentSnapshot,
  Scene,
  ThresholdBase,
} from '../../incident/finding.ts';
import { Incident } from '../../incident/incident.ts';
import { closingReason, type Sentence, sentence } from '../../incident/shown-calls.ts';
import type { Privacy } from '../../privacy/presentable.ts';
import { judgeMessages } from './judge-prompt.ts';
import type { SemanticOptions } from './options.ts';
import { CheckSchedule, type ScheduleSnapshot } from './schedule.ts';
import { checkId, type SemanticCheck } from './semantic-check.ts';
import { type HistorySnapshot, type Turn, TurnHistory } from './turn-history.ts';

/** The context of a check, needed for its verdict once the answer arrives. */
export type AskingScene = Omit<Scene, 'sessionId'>;

interface Question {
  readonly turn: number;
  /** The session before the `turn_started` that raised the check. */
  readonly mark: Mark;
  /** The session at the start of the shown turns. */
  readonly since: Mark;
  /** Numbers of the first and the last turn shown. */
  readonly shown: readonly [number, number];
  readonly messages: SemanticCheck['messages'];
  scene: AskingScene | undefined;
}

/**
 * Asks a model at intervals whether the session is in a loop. It only builds the question; the caller asks the model.
 */
export class Semantic implements Detector {
  /** Its questions cannot be revoked. */
  readonly isRevocable = false;
  readonly #options: SemanticOptions;
  readonly #privacy: Privacy;
  readonly #schedule: CheckSchedule;
  readonly #history: TurnHistory;
  /** The first turn that any check shows. Most prompts end before it and need no storage. */
  readonly #firstShown: number;
  #question: Question | undefined;
  #incident: Incident<'semantic'> | undefined;
  /** The latest check that found a loop. */
  #latest: ConfirmedCheck | undefined;
  #confidence = 0;

  constructor(options: SemanticOptions, privacy: Privacy) {
    this.#options = options;
    this.#privacy = privacy;
    this.#schedule = new CheckSchedule(options);
    this.#history = new TurnHistory(options);
    this.#firstShown = options.afterTurns - options.historyTurns;
  }

  push(step: EventStep): void {
    const { event } = step;
    if (event.type === 'prompt_started') {
      this.close(step, 'ended');
      this.#history.startPrompt(event.text);
    } else if (event.type === 'turn_started') {
      const mark = step.mark();
      if (this.#schedule.startTurn()) this.#ask(mark);
      if (this.#schedule.turn >= this.#firstShown) this.#history.startTurn(this.#schedule.turn, mark);
    } else if (this.#schedule.turn >= this.#firstShown) {
      this.#history.note(step);
    }
  }

  #ask(mark: Mark): void {
    const { turns } = this.#history;
    const { turn } = this.#schedule;
    this.#question = {
      turn,
      mark,
      since: turns[0] === undefined ? mark : begun(turns[0]),
      shown: [turns[0]?.number ?? turn, turn - 1],
      messages: judgeMessages(this.#history, turn, this.#options.maxCharacters, this.#privacy),
      scene: undefined,
    };
  }

  /** The check that the last event raised, if any; returned once. */
  takeCheck(
    sessionId: string,
    labels: () => Omit<AskingScene, 'before' | 'after'>,
  ): SemanticCheck | undefined {
    const question = this.#question;
    if (question === undefined || question.scene !== undefined) return undefined;
    const { mark, turn, messages } = question;
    const after = { ...mark, eventIndex: mark.eventIndex + 1, turns: mark.turns + 1 };
    question.scene = { ...labels(), before: mark, after };
    return this.#asCheck(sessionId, turn, messages, question.scene);
  }

  /** The pending check, for a new owner of the session that has to ask it again. */
  checkUnderWay(sessionId: string): SemanticCheck | undefined {
    const question = this.#question;
    if (question?.scene === undefined) return undefined;
    return this.#asCheck(sessionId, question.turn, question.messages, question.scene);
  }

  #asCheck(
    sessionId: string,
    turn: number,
    messages: SemanticCheck['messages'],
    { before, promptId }: AskingScene,
  ): SemanticCheck {
    const { eventId, eventIndex, time } = before;
    const id = checkId(sessionId, before);
    const threshold = this.#options.confidence;
    return { id, sessionId, promptId, eventId, eventIndex, time, turn, threshold, messages };
  }

  /**
   * Processes the answer to a check.
   *
   * @returns undefined if the check is obsolete; otherwise where it was asked, the resulting finding, if any, and the
   *   number of consecutive checks that found a loop; 0 if this one did not
   */
  answer(
    sessionId: string,
    id: string,
    answer: CheckAnswer,
  ): { finding: Finding | undefined; confirmed: number; scene: AskingScene } | undefined {
    const question = this.#question;
    if (question?.scene === undefined || checkId(sessionId, question.mark) !== id) return undefined;
    this.#question = undefined;
    this.#schedule.settle(answer);
    const { scene } = question;
    if ('failure' in answer) return { finding: undefined, confirmed: 0, scene };
    const finding = this.#conclude(question, answer);
    return { finding, confirmed: this.#incident?.count ?? 0, scene };
  }

  #conclude(question: Question, answer: JudgeAnswer): Finding | undefined {
    if (answer.confidence > this.#options.confidence) {
      this.#incident ??= new Incident(this.#options.mode, 1, question.since);
      const phase = this.#incident.repeat(this.#incident.count + 1);
      this.#confidence = answer.confidence;
      const { shown, turn } = question;
      this.#latest = { shown, turn, answer };
      return phase && this.#incident.finding(phase, this.#account(this.#latest));
    }
    const incident = this.#incident;
    if (incident === undefined) return undefined;
    this.#incident = undefined;
    this.#confidence = answer.confidence;
    const why = `the check at turn ${String(question.turn)} found no loop`;
    return this.#resolved(incident, 'recovered', why, { analysis: answer.analysis, turn: question.turn });
  }

  /** The open incident as of the latest check that found a loop. */
  current(): readonly Finding[] {
    return this.#incident === undefined || this.#latest === undefined
      ? []
      : [this.#incident.finding('escalated', this.#account(this.#latest))];
  }

  #account({
    shown: [first, last],
    turn,
    answer: { analysis, confidence },
  }: ConfirmedCheck): Account<'semantic'> {
    return {
      detector: 'semantic',
      threshold: 1,
      thresholdOf: this.#thresholdOf,
      confidence,
      ...judgedReason([first, last], confidence, analysis),
      guidance: guidance(analysis, last - first + 1),
      evidence: {
        analysis,
        turn,
        shown: { from: first, to: last },
        threshold: this.#options.confidence,
      },
    };
  }

  get #thresholdOf(): ThresholdBase {
    return { setting: 'semantic.confidence', value: this.#options.confidence };
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    const incident = this.#incident;
    this.#incident = undefined;
    this.#question = undefined;
    this.#schedule.reset();
    this.#history.startPrompt(undefined);
    if (incident !== undefined) step.emit(this.#resolved(incident, outcome, closingReason(outcome), {}));
  }

  #resolved(
    incident: Incident<'semantic'>,
    outcome: VerdictOutcome,
    why: string,
    evidence: EvidenceOf<'semantic'>,
  ): Finding {
    const checks = incident.count === 1 ? 'One check' : `${String(incident.count)} checks in a row`;
    const confidence = this.#confidence;
    const thresholdOf = this.#thresholdOf;
    const account: Account<'semantic'> = {
      detector: 'semantic',
      threshold: 1,
      thresholdOf,
      confidence,
      reason: `${checks} found a loop`,
      evidence,
    };
    return incident.resolution(account, outcome, why);
  }

  snapshot(): SemanticSnapshot {
    return {
      schedule: this.#schedule.snapshot(),
      history: this.#history.snapshot(),
      question: this.#question,
      incident: this.#incident?.snapshot(),
      confidence: this.#confidence,
      ...(this.#incident && { latest: this.#latest }),
    };
  }

  restore(snapshot: SemanticSnapshot): void {
    this.#schedule.restore(snapshot.schedule);
    this.#history.restore(snapshot.history);
    this.#question = snapshot.question && { ...snapshot.question };
    this.#incident = snapshot.incident && Incident.restore(snapshot.incident);
    this.#confidence = snapshot.confidence;
    this.#latest = snapshot.latest;
  }
}

export interface SemanticSnapshot {
  readonly schedule: ScheduleSnapshot;
  readonly history: HistorySnapshot;
  readonly question: Question | undefined;
  readonly incident: IncidentSnapshot | undefined;
  readonly confidence: number;
  /** Absent without an open incident, and in snapshots of earlier versions. */
  readonly latest?: ConfirmedCheck | undefined;
}

/** A check that found a loop. */
interface ConfirmedCheck extends Pick<Question, 'shown' | 'turn'> {
  readonly answer: JudgeAnswer;
}

/** The session's mark within a turn: the current turn counts as one of the loop's turns. */
function begun({ number, mark }: Turn): Mark {
  return number === 0 ? mark : { ...mark, turns: mark.turns + 1 };
}

function percent(confidence: number): string {
  return `${String(Math.round(confidence * 1000) / 10)}%`;
}

/** Units of the analysis that the reason shows. */
const QUOTED_UNITS = 160;

/** The verdict of the model, and its analysis in brief. */
function judgedReason([first, last]: Question['shown'], confidence: number, analysis: string): Sentence {
  const [brief = ''] = analysis.trim().split(/(?<=[.!?])\s|\n/);
  const shown = clipText(brief.trimEnd().replace(/\.$/, ''), QUOTED_UNITS);
  return sentence`Turns ${first}-${last} look like a loop (${percent(confidence)} confidence)${{ quoted: shown && `: ${shown}` }}`;
}

function guidance(analysis: string, turns: number): string {
  return [
    `A review found no progress in your last ${String(turns)} turns: ${quote(analysis, 600)}`,
    'Stop and think before the next step: what has been achieved, what is missing, and what has failed?',
    'Try a different approach, or explain why the task cannot be done. Do not repeat what you did in those turns.',
  ].join('\n');
}
