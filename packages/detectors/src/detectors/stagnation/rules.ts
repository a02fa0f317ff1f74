import type { CallHistory } from '../../calls/call-history.ts';
import { numbersMoveOn } from '../../calls/sameness.ts';
import {
  type CallStep,
  changesSomething,
  errorOf,
  isAlikeStep,
  isPollingStep,
  isSameError,
  isVaried,
  movesTowards,
  pollingAdjustments,
  pollingPatience,
  soleToolOf,
} from '../../calls/step.ts';
import type { ThresholdBase } from '../../incident/finding.ts';
import { counted, namesOf, quotedResult, quotedStep, sentence } from '../../incident/shown-calls.ts';
import type { RuleContext, RuleMatch, StagnationRule } from './options.ts';
import { haveSameAnswer, turnsPages } from './rephrased-query.ts';

/** Reading steps allowed between two failures of one tool. */
const LOOKS_BETWEEN = 2;

/** Consecutive steps fail with the same error, whatever is called. */
export const sameError: StagnationRule = (calls, context) => {
  const { rounds, settled } = calls;
  const error = errorOf(settled);
  if (error === null) return null;
  let count = 0;
  while (count < rounds.length && isSameError(errorOf(rounds[rounds.length - 1 - count]), error)) count += 1;
  const steps = rounds.slice(-count);
  const threshold = context.options.sameError * pollingPatience(steps.slice(-1));
  if (count < threshold || !isVaried(steps)) return rejectedAgain(rounds, settled, context);
  const tools = new Set(steps.flatMap((step) => step.calls.map(({ identity }) => identity.name)));
  const result = quotedResult(settled.calls[0], context.knowledge.agents);
  const wording =
    tools.size === 1
      ? sentence`${[...tools].join('')} failed ${counted(count)} times in a row with the same error, whatever its arguments${result}`
      : sentence`the last ${counted(count)} steps, calls of ${tools.size} tools, all failed with the same error${result}`;
  const thresholdOf = {
    setting: 'stagnation.same_error',
    value: context.options.sameError,
    adjustments: pollingAdjustments([settled], context.knowledge),
  };
  return { rule: 'same-error', steps, count, threshold, thresholdOf, ...wording };
};

/** One tool fails for the same reason, whatever is tried, with only reading steps in between. */
function rejectedAgain(
  rounds: readonly CallStep[],
  settled: CallStep,
  { options, knowledge }: RuleContext,
): RuleMatch | null {
  const { agents } = knowledge;
  const tool = soleToolOf(settled);
  const head = errorHeadOf(settled);
  if (tool === undefined || head === null) return null;
  const steps: CallStep[] = [];
  let between = 0;
  for (let i = rounds.length - 1; i >= 0; i -= 1) {
    const step = rounds[i] as CallStep;
    if (soleToolOf(step) === tool) {
      if (errorHeadOf(step) !== head) break;
      steps.unshift(step);
      between = 0;
    } else {
      between += 1;
      if (between > LOOKS_BETWEEN || changesSomething(step)) break;
    }
  }
  const changes = settled.calls.some(({ nature }) => nature.changes);
  const threshold = (changes ? options.sameFailure : options.sameError) * pollingPatience([settled]);
  const count = steps.length;
  if (count < threshold || !isVaried(steps) || headsMoveOn(steps)) return null;
  return {
    rule: 'same-error',
    steps,
    count,
    threshold,
    thresholdOf: {
      setting: changes ? 'stagnation.same_failure' : 'stagnation.same_error',
      value: changes ? options.sameFailure : options.sameError,
      adjustments: pollingAdjustments([settled], knowledge),
    },
    ...sentence`${tool} failed ${counted(count)} times with the same error, whatever its arguments, and nothing was changed in between${quotedResult(settled.calls[0], agents)}`,
  };
}

/** Whether a number in the heads of these errors moves towards something, such as a count of problems. */
function headsMoveOn(steps: readonly CallStep[]): boolean {
  return numbersMoveOn(steps.map(({ calls }) => calls[0]?.result?.headNumbers ?? ''));
}

/** The error head shared by all calls of a step; `null` if they run programs, whose output may start with anything. */
function errorHeadOf(step: CallStep): string | null {
  const error = errorOf(step);
  const runsProgram = step.calls.some(({ nature }) => nature.runs && !nature.edits);
  return error === null || runsProgram ? null : error.head;
}

/** The same call fails the same way, with other calls in between that changed nothing. */
export const sameFailure: StagnationRule = (
  { rounds, settled },
  { options, knowledge: { agents }, digests },
) => {
  if (settled.kind !== 'error' || digests.sameCalls() < options.sameFailure) return null;
  const steps: CallStep[] = [];
  let first = rounds.length;
  for (let i = rounds.length - 1; i >= 0; i -= 1) {
    const step = rounds[i] as CallStep;
    if (changesSomething(step)) break;
    // Waiting may resolve the failure.
    if (step.key !== settled.key && isPollingStep(step)) break;
    if (isAlikeStep(step, settled)) {
      steps.unshift(step);
      first = i;
    }
  }
  const count = steps.length;
  // Without other steps in between it is a plain repetition, which tool-repeat reports.
  // Errors that differ in random-looking tokens leave more doubt.
  const isAlike = steps.some(({ outcome }) => outcome !== settled.outcome);
  const threshold = options.sameFailure + (isAlike ? 1 : 0);
  if (count < threshold || rounds.length - first === count || (isAlike && movesTowards(steps))) return null;
  return {
    rule: 'same-failure',
    steps,
    count,
    threshold,
    thresholdOf: {
      setting: 'stagnation.same_failure',
      value: options.sameFailure,
      adjustments: isAlike ? ['alike-results'] : [],
    },
    ...sentence`${quotedStep(settled)} was tried ${counted(count)} times and failed the same way each time, and nothing was changed in between${quotedResult(settled.calls[0], agents)}`,
  };
};

/** A shorter answer may be correct for many questions. */
const SHORT_UNITS = 60;
const SEARCHES = /grep|search|find|glob|query/i;

/**
 * The same question, rephrased each time, gets the same answer; only the wording of the call differs. Or one reading
 * tool gives the same answer to any question, which takes more repetitions to establish.
 */
export const sameAnswer: StagnationRule = (calls, context) => {
  const { settled } = calls;
  if (settled.kind === 'transient') return null;
  const rephrased = runOf(
    calls,
    (before, next) =>
      asksAgain(before, settled, context) || (next !== settled && asksAgain(before, next, context)),
  );
  const threshold = rephrasedThreshold(context.options);
  if (rephrased.length >= threshold && isVaried(rephrased))
    return match(rephrased, threshold, rephrasedBase(context.options), variation(rephrased), context);
  const answer = readAnswer(settled);
  if (answer === null) return null;
  const tool = soleToolOf(settled);
  const alike = runOf(calls, (before) => soleToolOf(before) === tool && readAnswer(before) === answer);
  const { sameAnswer: value } = context.options;
  const patience = patienceFor(settled);
  const needed = value * patience;
  if (alike.length < needed || !isVaried(alike)) return null;
  const base: ThresholdBase = {
    setting: 'stagnation.same_answer',
    value,
    adjustments: patience > 1 ? ['short-answer'] : [],
  };
  return match(alike, needed, base, 'whatever it was asked', context);
};

/**
 * Equal answers to a rephrased question leave less doubt than equal errors, as do equal messages, so the threshold is
 * lower.
 */
export function rephrasedThreshold({ sameError }: RuleContext['options']): number {
  return Math.max(2, sameError - 1);
}

/** The setting behind {@link rephrasedThreshold}. */
export function rephrasedBase({ sameError }: RuleContext['options']): ThresholdBase {
  return { setting: 'stagnation.same_error', value: sameError, adjustments: ['reworded'] };
}

/** The latest run of steps, each linked to the one after it. */
function runOf(
  { rounds, settled }: Pick<CallHistory, 'rounds'> & { readonly settled: CallStep },
  belongs: (before: CallStep, next: CallStep) => boolean,
): CallStep[] {
  let count = 1;
  for (let next = settled; count < rounds.length; count += 1) {
    const before = rounds[rounds.length - 1 - count] as CallStep;
    if (!belongs(before, next)) break;
    next = before;
  }
  return rounds.slice(-count);
}

function asksAgain(before: CallStep, settled: CallStep, { isOpen }: RuleContext): boolean {
  if (before.outcome === settled.outcome) return settled.outcome !== null;
  return haveSameAnswer(before, settled, isOpen);
}

/**
 * The answer shared by all calls of a step, if they only read and the answer is informative. An empty result counts
 * only for commands that do nothing: a search may legitimately find nothing.
 */
function readAnswer(step: CallStep): string | null {
  const { kind, calls } = step;
  const first = calls[0]?.result;
  if (kind !== 'ok' || !first || soleToolOf(step) === undefined || isPollingStep(step)) return null;
  const says = calls.every(({ nature: { runs, changes, reads, gui, idles } }) => {
    if (runs) return !changes && (idles || (!first.trivial && !first.empty));
    return reads && !gui && !first.trivial && !first.empty && !first.negative;
  });
  return says && calls.every(({ result }) => result?.form === first.form) ? first.form : null;
}

/** A short answer, such as a price or a state, may be correct for many questions, but a search returns what exists. */
function patienceFor({ calls }: CallStep): number {
  const isShort = calls.every(
    ({ identity, nature, result }) =>
      !nature.runs && !SEARCHES.test(identity.name) && (result?.shown.length ?? 0) < SHORT_UNITS,
  );
  return isShort ? 2 : 1;
}

/** Describes how the calls of the loop differ. */
function variation(steps: readonly CallStep[]): string {
  const [before, latest] = steps.slice(-2).map(({ calls }) => calls[0]?.identity);
  return before && latest && turnsPages(before, latest)
    ? 'whichever page was asked for'
    : 'to what differs only in its wording';
}

function match(
  steps: readonly CallStep[],
  threshold: number,
  thresholdOf: ThresholdBase,
  what: string,
  { knowledge: { agents } }: RuleContext,
): RuleMatch {
  const latest = steps.at(-1) as CallStep;
  const count = steps.length;
  return {
    rule: 'same-answer',
    steps,
    count,
    threshold,
    thresholdOf,
    ...sentence`${namesOf(latest)} gave the same answer ${counted(count)} times in a row ${what}${quotedResult(latest.calls[0], agents)}`,
  };
}
