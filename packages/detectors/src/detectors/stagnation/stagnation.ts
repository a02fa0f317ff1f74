import type { VerdictOutcome } from '@loopwatch/contract';
import type { CallKnowledge } from '../../agents/agent-knowledge.ts';
import { reports } from '../../calls/rejections.ts';
import { type CallStep, changesSomething } from '../../calls/step.ts';
import { modeOf } from '../../incident/alike-results.ts';
import type { Detector, EventStep, Finding, Pattern, PatternSnapshot } from '../../incident/finding.ts';
import { PatternIncident } from '../../incident/pattern-incident.ts';
import { callsWithResults, closingReason } from '../../incident/shown-calls.ts';
import { cosmeticArguments } from './cosmetic-arguments.ts';
import { handoffs } from './handoffs.ts';
import { HarnessLoop, type HarnessSnapshot } from './harness-loop.ts';
import { knownAnswers } from './known-answers.ts';
import { MessageRepeat, type MessageSnapshot } from './message-repeat.ts';
import { isStale, nothingNew } from './nothing-new.ts';
import type { RuleContext, RuleMatch, StagnationOptions, StagnationRule } from './options.ts';
import { rephrasedBase, rephrasedThreshold, sameAnswer } from './same-answer.ts';
import { sameError } from './same-error.ts';
import { malformedCall, sameFailure } from './same-failure.ts';
import { sameResult } from './same-result.ts';
import { StepDigests } from './step-digests.ts';

/** In order of evaluation; `nothing-new`, the least specific, comes last. */
const RULES: readonly StagnationRule[] = [
  sameAnswer,
  sameError,
  malformedCall,
  sameFailure,
  sameResult,
  knownAnswers,
  cosmeticArguments,
  handoffs,
];

/** Rules whose pattern may continue after other steps, up to a limit. */
const RECURRING: ReadonlySet<RuleMatch['rule'] | undefined> = new Set([
  'same-failure',
  'same-result',
  'same-error',
  'known-answers',
]);
const STEPS_BETWEEN = 8;

/** Number of latest steps that the guidance shows. */
const SHOWN_STEPS = 2;

/**
 * Finds calls without progress that are not a plain repetition: one tool failing with the same error whatever the
 * arguments; the same failing or reading call between other calls; one answer to many questions; consecutive steps
 * that bring nothing new. It also finds repeated messages and harness prompts without calls.
 */
export class Stagnation implements Detector {
  readonly #options: StagnationOptions;
  readonly #knowledge: CallKnowledge;
  readonly #incident = new PatternIncident('stagnation');
  readonly #digests = new StepDigests();
  /** Consecutive steps that brought nothing new. */
  #stale = 0;
  /** Steps since a rule last matched. */
  #quiet = 0;
  /** Both before the latest step. */
  #before = { stale: 0, quiet: 0 };
  /** Created at the first turn: without turns, the end of a message is unknown. */
  #messages: MessageRepeat | undefined;
  /** Created at the first prompt. */
  #harness: HarnessLoop | undefined;

  constructor(options: StagnationOptions, knowledge: CallKnowledge) {
    this.#options = options;
    this.#knowledge = knowledge;
  }

  push(step: EventStep): void {
    const { event, calls } = step;
    if (calls?.settled) this.#onStepSettled(step, calls as Parameters<StagnationRule>[0]);
    this.#incident.noteStart(step);
    if (event.type === 'turn_started') this.#messages ??= this.#newMessages();
    this.#messages?.push(step);
    if (calls?.prompts.startsOver) this.#closePrompt(step, 'ended');
    if (event.type === 'prompt_started') this.#harness ??= this.#newHarnessLoop();
    this.#harness?.push(step);
    if (event.type !== 'prompt_started') return;
    // News may well get the same answer.
    if (reports(event.text ?? '')) this.#messages?.close(step, 'ended');
    // One loop, not two: the harness asks again and the agent answers the same.
    else if (this.#harness?.isRepeating)
      this.#messages?.leaveToHarness(step, this.#harness.current().length > 0);
  }

  #onStepSettled(step: EventStep, calls: Parameters<StagnationRule>[0]): void {
    this.#digests.follow(calls.rounds);
    const context: RuleContext = {
      options: this.#options,
      knowledge: this.#knowledge,
      digests: this.#digests,
      isOpen: this.#incident.isOpen,
    };
    if (!calls.regrown) this.#before = { stale: this.#stale, quiet: this.#quiet };
    // Steps that already belong to another detector's incident do not count twice.
    this.#stale = isStale(calls, this.#digests) && !calls.settled.explained ? this.#before.stale + 1 : 0;
    const match = this.#matchOf(calls, context);
    this.#quiet = match === null ? this.#before.quiet + 1 : 0;
    if (match !== null) {
      if (this.#incident.isOpen || !calls.settled.explained)
        this.#incident.report(step, this.#pattern(match), calls.regrown);
    } else if (!this.#mayRecur(calls.settled)) {
      this.#incident.resolve(step, 'recovered', 'the agent made progress');
    }
    calls.stagnant = this.#incident.isOpen && match !== null;
  }

  #matchOf(calls: Parameters<StagnationRule>[0], context: RuleContext): RuleMatch | null {
    for (const rule of RULES) {
      const match = rule(calls, context);
      if (match !== null) return match;
    }
    return nothingNew(calls, this.#stale, context);
  }

  #newMessages(): MessageRepeat {
    return new MessageRepeat({
      threshold: rephrasedThreshold(this.#options),
      thresholdOf: rephrasedBase(this.#options),
      mode: this.#options.mode,
    });
  }

  #newHarnessLoop(): HarnessLoop {
    const { samePrompt: threshold, mode } = this.#options;
    return new HarnessLoop({ threshold, mode });
  }

  /** Whether the open pattern may continue after other steps, unless they changed something or resolved it. */
  #mayRecur(settled: CallStep): boolean {
    const { current } = this.#incident;
    return (
      RECURRING.has(current?.evidence.rule) &&
      this.#quiet <= STEPS_BETWEEN &&
      settled.key !== current?.rounds.at(-1)?.key &&
      !changesSomething(settled)
    );
  }

  #pattern({ rule, steps, ...match }: RuleMatch): Pattern<'stagnation'> {
    const { mode } = this.#options;
    return {
      ...match,
      mode: modeOf(mode, match.thresholdOf),
      rounds: steps,
      guidance: [
        `You are not making progress: ${match.plainReason}.`,
        'Your latest calls and their results:',
        ...callsWithResults(steps.slice(-SHOWN_STEPS), this.#knowledge.agents),
        'State what you know and what is missing. Then try a different approach, or stop.',
      ].join('\n'),
      evidence: { rule },
    };
  }

  current(): readonly Finding[] {
    const own = this.#incident.findings();
    return [...own, ...(this.#messages?.current() ?? []), ...(this.#harness?.current() ?? [])];
  }

  close(step: EventStep, outcome: VerdictOutcome): void {
    this.#closePrompt(step, outcome);
    this.#harness?.close(step, outcome);
  }

  /** Ends incidents that do not outlast a prompt. */
  #closePrompt(step: EventStep, outcome: VerdictOutcome): void {
    if (step.calls !== null) step.calls.stagnant = false;
    this.#stale = 0;
    this.#quiet = 0;
    this.#before = { stale: 0, quiet: 0 };
    this.#digests.clear();
    this.#incident.resolve(step, outcome, closingReason(outcome));
    this.#messages?.close(step, outcome);
  }

  snapshot(): StagnationSnapshot {
    return this.checkpoint()();
  }

  checkpoint(): () => StagnationSnapshot {
    const stale = this.#stale;
    const quiet = this.#quiet;
    const before = this.#before;
    const incident = this.#incident.snapshot();
    const messages = this.#messages?.checkpoint();
    const harness = this.#harness?.checkpoint();
    return () => ({
      stale,
      quiet,
      before,
      incident,
      ...(messages !== undefined && { messages: messages() }),
      ...(harness !== undefined && { harness: harness() }),
    });
  }

  restore(snapshot: StagnationSnapshot): void {
    this.#stale = snapshot.stale;
    this.#quiet = snapshot.quiet;
    this.#before = snapshot.before;
    this.#incident.restore(snapshot.incident);
    this.#messages = undefined;
    if (snapshot.messages !== undefined) {
      this.#messages = this.#newMessages();
      this.#messages.restore(snapshot.messages);
    }
    this.#harness = undefined;
    if (snapshot.harness !== undefined) {
      this.#harness = this.#newHarnessLoop();
      this.#harness.restore(snapshot.harness);
    }
  }
}

interface StagnationSnapshot {
  readonly stale: number;
  readonly quiet: number;
  readonly before: { readonly stale: number; readonly quiet: number };
  readonly incident: PatternSnapshot<'stagnation'>;
  readonly messages?: MessageSnapshot;
  readonly harness?: HarnessSnapshot;
}
