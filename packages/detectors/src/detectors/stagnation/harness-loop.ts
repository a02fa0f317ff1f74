import type { Mode, VerdictOutcome } from '@loopwatch/contract';
import type { CallHistory } from '../../calls/call-history.ts';
import type { Mark } from '../../calls/mark.ts';
import { isPollingStep } from '../../calls/polling.ts';
import type { PromptAuthor } from '../../calls/prompt-origin.ts';
import { REJECTS_ANSWER, rejects, reports } from '../../calls/rejections.ts';
import type { CallStep } from '../../calls/step.ts';
import { quote } from '../../incident/clip-text.ts';
import type { EventStep, Finding, PatternSnapshot } from '../../incident/finding.ts';
import { PatternIncident } from '../../incident/pattern-incident.ts';
import { closingReason, counted, sentence } from '../../incident/shown-calls.ts';
import { areAlike, moveOn, newWords, numbersIn, promptForm, sizesOf, withoutQuotes } from './prompt-text.ts';
import { StepChain } from './step-chain.ts';

/** A longer answer that differs from the previous one counts as new, unless it is rejected. */
const SHORT_UNITS = 400;
/** Compared units of a prompt and of an answer. */
const COMPARED_UNITS = 2048;
/** Tools by which an agent only says that it has finished. */
const FINISHES =
  /^(?:finish|done|submit|complete|stop|end|exit|terminate|attempt_completion|final_answer|finish_task|task_(?:done|complete[d]?)|complete_task|mark_complete|exit_plan_mode)$/i;
/** Names what an answer lacks: another thing is progress. */
const LACKS = /\b(?:missing|required|lacks?|not defined|fehlt)\b/i;
/** Units of the prompt that the evidence shows. */
const SHOWN_UNITS = 400;

export interface HarnessLoopOptions {
  /** Repetitions of a prompt that make it a loop. */
  readonly threshold: number;
  readonly mode: Mode;
}

/** The effect of a prompt: the steps it led to, or the answer if it led to none. */
interface PromptRun {
  readonly steps: string;
  readonly answer: string;
  /** The prompt; absent in snapshots of earlier versions. */
  readonly asked?: string;
}

/** Consecutive prompts that are the same. */
interface PromptSeries {
  /** The latest prompt. */
  readonly shown: string;
  readonly count: number;
  /** The length of each of the latest prompts, and the numbers in it; empty as long as there is only one. */
  readonly numbers: readonly string[];
  readonly since: Mark | null;
  readonly latest: Mark | null;
  /** The effect of the previous prompt. */
  readonly before: PromptRun | null;
}
const NO_PROMPTS: PromptSeries = {
  shown: '',
  count: 0,
  numbers: [],
  since: null,
  latest: null,
  before: null,
};

/**
 * Finds loops of the harness itself: it keeps rejecting answers, keeps sending the same prompt without any effect, or
 * restarts work that fails the same way each time. A person who asks again is not reported.
 */
export class HarnessLoop {
  readonly #options: HarnessLoopOptions;
  readonly #incident = new PatternIncident('stagnation');
  #series = NO_PROMPTS;
  /** The effect of the current prompt so far. */
  readonly #steps = new StepChain();
  #answer = '';
  /** Another detector has an incident for the steps of the current prompt. */
  #explained = false;

  constructor(options: HarnessLoopOptions) {
    this.#options = options;
  }

  /** Whether the latest prompt was one of a series without effect. */
  get isRepeating(): boolean {
    return this.#series.count > 1;
  }

  push(step: EventStep): void {
    const { event, calls } = step;
    if (calls?.settled) this.#onStepSettled(calls, calls.settled);
    if (event.type === 'prompt_started')
      this.#onPrompt(step, event.text ?? '', this.#authorOf(step, event.text ?? ''));
    else if (event.type === 'content') this.#addAnswer(event.text);
  }

  /** Without times, a rejection of answers in the same words comes from a harness. */
  #authorOf({ calls }: EventStep, text: string): PromptAuthor {
    const author = calls?.prompts.author ?? 'person';
    if (author !== 'person' || calls?.prompts.isTimed !== false || !REJECTS_ANSWER.test(text)) return author;
    const shown = text.trim().slice(0, COMPARED_UNITS);
    return promptForm(shown, false) === promptForm(this.#series.shown, false) ? 'quick' : author;
  }

  #onStepSettled({ regrown, stagnant }: CallHistory, settled: CallStep): void {
    // What waits repeats itself by design, and other rules count it with patience.
    if (settled.explained || stagnant || isPollingStep(settled)) this.#explained = true;
    if (settled.calls.every(({ identity }) => FINISHES.test(identity.name)))
      this.#addAnswer(settled.calls.map(({ identity }) => identity.arguments).join('\n'));
    else this.#steps.add(settled.outcome ?? settled.key, regrown);
  }

  #addAnswer(text: string): void {
    if (this.#answer.length < COMPARED_UNITS) this.#answer = (this.#answer + text).slice(0, COMPARED_UNITS);
  }

  #onPrompt(step: EventStep, text: string, author: PromptAuthor): void {
    // A reminder between two results of one step: the agent had no chance to follow it.
    if (author !== 'person' && step.calls?.isPartlyAnswered === true) return;
    const shown = text.trim().slice(0, COMPARED_UNITS);
    if (this.#isCopy(step, shown)) return;
    const isMarked = author === 'harness';
    const series = this.#series;
    const run: PromptRun = {
      steps: this.#steps.hashes().steps,
      answer: this.#answer,
      asked: series.shown,
    };
    const comesAgain =
      author !== 'person' && this.#equalsLatest(shown, isMarked) && this.#isInVain(run, isMarked, shown);
    const isFirst = !comesAgain || series.since === null;
    // Prompts without any effect are a series of their own.
    const follows = run.steps === '' && series.before?.steps !== '';
    const latest = step.mark();
    this.#series = {
      shown,
      count: isFirst ? 1 : follows ? 2 : series.count + 1,
      // Read once a second prompt comes: most have none like them.
      numbers: isFirst ? [] : this.#numbersUpTo(shown),
      since: isFirst ? latest : follows ? series.latest : series.since,
      latest,
      before: run,
    };
    this.#clearRun();
    const { count, numbers } = this.#series;
    if (count < this.#options.threshold || moveOn(numbers))
      this.#incident.resolve(step, 'recovered', 'another prompt followed');
    else this.#report(step);
  }

  #clearRun(): void {
    this.#answer = '';
    this.#explained = false;
    this.#steps.clear();
  }

  #numbersUpTo(shown: string): readonly string[] {
    const { numbers, shown: latest } = this.#series;
    return [...(numbers.length === 0 ? [sizesOf(latest)] : numbers), sizesOf(shown)].slice(
      -this.#options.threshold,
    );
  }

  /** Whether the event before was the same: a producer may deliver events without ids twice. */
  #isCopy(step: EventStep, shown: string): boolean {
    const { eventIndex, time } = step.mark();
    const { latest, shown: latestShown } = this.#series;
    if (latest === null || step.event.id !== undefined) return false;
    return latest.eventIndex === eventIndex - 1 && latest.time === time && shown === latestShown;
  }

  /** Whether the latest prompt was the same, or rejected an answer for a similar reason. */
  #equalsLatest(shown: string, isMarked: boolean): boolean {
    const { shown: latest, before } = this.#series;
    if (shown === '' || latest === '') return false;
    if (shown === latest) return true;
    if (reports(shown)) return false;
    if (promptForm(shown, isMarked) === promptForm(latest, isMarked)) return true;
    const [now, then] = [withoutQuotes(shown, this.#answer), withoutQuotes(latest, before?.answer)];
    if (now !== shown && promptForm(now, isMarked) === promptForm(then, isMarked)) return true;
    if (!isMarked || !rejects(shown)) return false;
    // Two rejections may take turns.
    const { asked = '' } = before ?? {};
    if (promptForm(shown, true) === promptForm(asked, true)) return true;
    if (!rejects(latest) || !areAlike(shown, latest)) return false;
    return newWords(shown, [latest, asked, this.#answer].join(' ')) < (LACKS.test(shown) ? 1 : 2);
  }

  /** Whether the previous prompt had no effect: no steps at all, or the same steps as the one before it. */
  #isInVain(run: PromptRun, isMarked: boolean, shown: string): boolean {
    const { before, count, shown: latest } = this.#series;
    if (this.#explained) return false;
    // Other numbers make another question of a prompt that rejects nothing.
    if (run.steps === '' && !rejects(shown) && numbersIn(shown) !== numbersIn(latest)) return false;
    // The first prompt has nothing to be compared with.
    if (before === null || count <= 1) return true;
    if (run.steps === '') {
      const previous = before.steps === '' ? before.answer : run.answer;
      const isShort = Math.max(run.answer.length, previous.length) <= SHORT_UNITS;
      if (run.answer === previous) return true;
      // A person may send one text to get different answers, but does not reject each at once in the same words.
      return isMarked ? isShort || rejects(shown) : REJECTS_ANSWER.test(shown);
    }
    return run.steps === before.steps;
  }

  #report(step: EventStep): void {
    const { count, shown, before, since } = this.#series;
    const { threshold, mode } = this.#options;
    const made = before?.steps === '' ? 'no calls' : 'the same calls each time';
    const wording = sentence`The same prompt was sent ${counted(count)} times and the agent made ${made}${{ quoted: `: ${quote(shown)}` }}`;
    this.#incident.report(step, {
      key: 'prompts',
      count,
      threshold,
      thresholdOf: { setting: 'stagnation.same_prompt', value: threshold },
      mode,
      rounds: [],
      ...(since !== null && { since }),
      ...wording,
      guidance: [
        `You have received the same prompt ${String(count)} times and made ${made}.`,
        `The prompt: ${quote(shown)}`,
        ...(before === null || before.answer === '' ? [] : [`Your answer: ${quote(before.answer)}`]),
        'The same answer will not help. State what blocks you, or stop.',
      ].join('\n'),
      evidence: { rule: 'same-prompt', repeated: shown.slice(0, SHOWN_UNITS) },
    });
  }

  current(): readonly Finding[] {
    return this.#incident.findings();
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.#incident.resolve(step, outcome, closingReason(outcome));
    this.#series = NO_PROMPTS;
    this.#clearRun();
  }

  checkpoint(): () => HarnessSnapshot {
    const series = this.#series;
    const answer = this.#answer;
    const explained = this.#explained;
    const hashes = this.#steps.checkpoint();
    const incident = this.#incident.snapshot();
    return () => {
      const { steps, stepsBefore } = hashes();
      return { ...series, run: { steps, answer }, stepsBefore, explained, incident };
    };
  }

  restore({ incident, run, stepsBefore, explained, ...series }: HarnessSnapshot): void {
    this.#series = { ...NO_PROMPTS, ...series };
    this.#explained = explained;
    this.#answer = run.answer;
    this.#steps.restore({ steps: run.steps, stepsBefore });
    this.#incident.restore(incident);
  }
}

export interface HarnessSnapshot extends Omit<PromptSeries, 'numbers'> {
  /** Absent in snapshots of earlier versions. */
  readonly numbers?: readonly string[];
  readonly run: PromptRun;
  readonly stepsBefore: string;
  readonly explained: boolean;
  readonly incident: PatternSnapshot<'stagnation'>;
}
