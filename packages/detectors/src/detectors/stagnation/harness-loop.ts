import type { Mode, VerdictOutcome } from '@loopwatch/contract';
import type { AgentKnowledge } from '../../agents/agent-knowledge.ts';
import type { Mark } from '../../calls/mark.ts';
import { normalizeText } from '../../calls/normalize-text.ts';
import type { EventStep, PatternSnapshot } from '../../incident/finding.ts';
import { PatternIncident } from '../../incident/incident.ts';
import { asSentence, closingReason, counted, quote, sentence } from '../../incident/shown-calls.ts';
import { fingerprint } from '../../lib/digest.ts';

/** A person needs longer than this to read an answer and ask again. */
const QUICK_MS = 10_000;
/** Harness prompts further apart than this are deliberate checks. */
const MARKED_MS = 600_000;
/** A longer answer that differs from the previous one counts as new. */
const SHORT_UNITS = 400;
/** Compared units of a prompt and of an answer. */
const COMPARED_UNITS = 2048;
/** Units of the prompt that the evidence shows. */
const SHOWN_UNITS = 400;

export interface HarnessLoopOptions {
  /** Repetitions of a prompt that make it a loop. */
  readonly threshold: number;
  readonly mode: Mode;
  readonly agents: AgentKnowledge;
}

/** The effect of a prompt: the steps it led to, or the answer if it led to none. */
interface PromptRun {
  readonly steps: string;
  readonly answer: string;
}

/**
 * Finds loops of the harness itself: it keeps sending the same prompt without any effect, or restarts work that fails
 * the same way each time. A prompt is attributed to the harness if its event says so, if the agent's harness is known
 * to write such prompts, or if prompts follow too quickly for a person. A person who asks again is not reported.
 */
export class HarnessLoop {
  private readonly options: HarnessLoopOptions;
  private readonly incident = new PatternIncident('stagnation');
  /** The form in which prompts are compared; undefined: not computed yet, from the next two. */
  private prompt: string | null | undefined = null;
  private shown = '';
  private isMarked = false;
  private count = 0;
  private since: Mark | null = null;
  /** The effect of the previous prompt, and of the current one so far. */
  private before: PromptRun | null = null;
  private readonly steps = new StepChain();
  private answer = '';
  private lastTime = 0;

  constructor(options: HarnessLoopOptions) {
    this.options = options;
  }

  push(step: EventStep): void {
    const { event, calls } = step;
    if (calls?.settled) this.steps.add(calls.settled.outcome ?? calls.settled.key, calls.regrown);
    if (event.type === 'prompt_started') this.onPrompt(step, event.text ?? '', event.origin ?? null);
    else if (event.type === 'content' && this.answer.length < COMPARED_UNITS)
      this.answer = (this.answer + event.text).slice(0, COMPARED_UNITS);
    this.lastTime = step.time;
  }

  private onPrompt(step: EventStep, text: string, origin: 'user' | 'harness' | null): void {
    const shown = text.trim().slice(0, COMPARED_UNITS);
    const { agents } = this.options;
    const isMarked =
      (origin === 'harness' || (origin === null && agents.isHarnessPrompt(shown))) &&
      step.time - this.lastTime <= MARKED_MS;
    // If all times are equal, they carry no information.
    const isTimed = step.time > (this.since?.time ?? step.time);
    const isQuick = origin === null && isTimed && step.time - this.lastTime <= QUICK_MS;
    const mayRepeat = shown !== '' && (isMarked || isQuick);
    const prompt = mayRepeat ? promptForm(shown, isMarked) : undefined;
    const run: PromptRun = { steps: this.steps.hashes().steps, answer: this.answer };
    const comesAgain = mayRepeat && prompt === this.promptForm && this.isInVain(run, isMarked);
    if (!comesAgain || this.since === null) {
      this.since = step.mark();
      this.count = 0;
    }
    this.count += 1;
    this.prompt = prompt;
    this.shown = shown;
    this.isMarked = isMarked;
    this.before = run;
    this.answer = '';
    this.steps.clear();
    if (this.count < this.options.threshold)
      this.incident.resolve(step, 'recovered', 'another prompt followed');
    else this.report(step);
  }

  private get promptForm(): string | null {
    this.prompt = this.prompt === undefined ? promptForm(this.shown, this.isMarked) : this.prompt;
    return this.prompt;
  }

  /** Whether the prompt that has just ended had no effect: no steps at all, or the same steps as the previous one. */
  private isInVain(run: PromptRun, isMarked: boolean): boolean {
    const { before, count } = this;
    // The first prompt has nothing to be compared with.
    if (before === null || count <= 1) return true;
    if (run.steps === '' && before.steps === '') {
      const isShort = Math.max(run.answer.length, before.answer.length) <= SHORT_UNITS;
      return run.answer === before.answer || (isMarked && isShort);
    }
    return run.steps === before.steps;
  }

  private report(step: EventStep): void {
    const { count, shown, before } = this;
    const { threshold, mode } = this.options;
    const what = before?.steps === '' ? 'no call was made for it' : 'the same steps came of it each time';
    const wording = sentence`the same prompt was sent ${counted(count)} times, and ${what}${{ quoted: `: ${quote(shown)}` }}`;
    this.incident.report(step, {
      key: 'prompts',
      count,
      threshold,
      thresholdOf: { setting: 'stagnation.same_prompt', value: threshold },
      mode,
      rounds: [],
      ...(this.since !== null && { since: this.since }),
      ...wording,
      guidance: [
        asSentence(wording.plainReason),
        `The prompt: ${quote(shown)}`,
        ...(before === null || before.answer === '' ? [] : [`What was answered: ${quote(before.answer)}`]),
        'Sending or answering it again changes nothing. Say what stands in the way, or stop here.',
      ].join('\n'),
      evidence: { rule: 'same-prompt', repeated: shown.slice(0, SHOWN_UNITS) },
    });
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.incident.resolve(step, outcome, closingReason(outcome));
    this.prompt = null;
    this.count = 0;
    this.since = null;
    this.before = null;
    this.answer = '';
    this.steps.clear();
  }

  checkpoint(): () => HarnessSnapshot {
    const { prompt, shown, isMarked, count, since, before, answer, lastTime } = this;
    const hashes = this.steps.checkpoint();
    const incident = this.incident.snapshot();
    return () => {
      const { steps, stepsBefore } = hashes();
      return {
        prompt: prompt === undefined ? promptForm(shown, isMarked) : prompt,
        shown,
        count,
        since,
        before,
        run: { steps, answer },
        stepsBefore,
        lastTime,
        incident,
      };
    };
  }

  restore({ incident, run, stepsBefore, ...rest }: HarnessSnapshot): void {
    Object.assign(this, rest);
    this.answer = run.answer;
    this.steps.restore({ steps: run.steps, stepsBefore });
    this.incident.restore(incident);
  }
}

/** @param isMarked whether a harness wrote it, which may count its prompts */
function promptForm(shown: string, isMarked: boolean): string {
  const form = normalizeText(shown);
  return fingerprint(isMarked ? form.replace(/\d+/g, '#') : form);
}

export interface HarnessSnapshot {
  readonly prompt: string | null;
  readonly shown: string;
  readonly count: number;
  readonly since: Mark | null;
  readonly before: PromptRun | null;
  readonly run: PromptRun;
  readonly stepsBefore: string;
  readonly lastTime: number;
  readonly incident: PatternSnapshot<'stagnation'>;
}

/** Number of outcomes stored before they are added to the hash. */
const MAX_KEPT = 64;

/** Hashes of a sequence of steps: of all, and of all before the latest. */
interface StepHashes {
  readonly steps: string;
  readonly stepsBefore: string;
}
const NO_STEPS: StepHashes = { steps: '', stepsBefore: '' };

/** The steps of a prompt as one hash. It is computed on demand, which for most prompts is never. */
export class StepChain {
  private hashed = NO_STEPS;
  /** Outcomes that are not hashed yet. The list is append-only, because a checkpoint may hold it. */
  private kept: string[] = [];

  /** @param regrown whether it replaces the outcome of the latest step */
  add(outcome: string, regrown: boolean): void {
    if (!regrown) this.kept.push(outcome);
    else if (this.kept.length > 0) this.kept = [...this.kept.slice(0, -1), outcome];
    else this.hashed = hashesOf({ steps: this.hashed.stepsBefore, stepsBefore: '' }, [outcome], 1);
    if (this.kept.length >= MAX_KEPT) this.hashes();
  }

  hashes(): StepHashes {
    this.restore(hashesOf(this.hashed, this.kept, this.kept.length));
    return this.hashed;
  }

  /** The current hashes, to be computed later. */
  checkpoint(): () => StepHashes {
    const { hashed, kept } = this;
    const { length } = kept;
    return () => hashesOf(hashed, kept, length);
  }

  clear(): void {
    this.restore(NO_STEPS);
  }

  restore(hashed: StepHashes): void {
    this.hashed = hashed;
    if (this.kept.length > 0) this.kept = [];
  }
}

function hashesOf(hashed: StepHashes, outcomes: readonly string[], count: number): StepHashes {
  let { steps, stepsBefore } = hashed;
  for (const outcome of outcomes.slice(0, count)) {
    stepsBefore = steps;
    steps = fingerprint(`${stepsBefore}\n${outcome}`);
  }
  return { steps, stepsBefore };
}
