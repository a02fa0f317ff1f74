import type { CallHistory } from '../../calls/call-history.ts';
import { isPollingStep } from '../../calls/polling.ts';
import { SEARCHES } from '../../calls/searches.ts';
import { type CallStep, isVaried, soleToolOf } from '../../calls/step.ts';
import type { ThresholdBase } from '../../incident/finding.ts';
import { counted, namesOf, quotedResult, sentence } from '../../incident/shown-calls.ts';
import { checksTargets } from './known-answers.ts';
import type { RuleContext, RuleMatch, StagnationRule } from './options.ts';
import { haveSameAnswer, turnsPages } from './rephrased-query.ts';

/** A shorter answer may be correct for many questions. */
const SHORT_UNITS = 60;

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
    return match(rephrased, threshold, rephrasedBase(context.options), isRephrasing(rephrased), context);
  const answer = readAnswer(settled);
  if (answer === null) return null;
  const tool = soleToolOf(settled);
  const alike = runOf(calls, (before) => soleToolOf(before) === tool && readAnswer(before) === answer);
  const { sameAnswer: value } = context.options;
  const patience = patienceFor(settled, alike);
  const needed = value * patience;
  if (alike.length < needed || !isVaried(alike)) return null;
  const base: ThresholdBase = {
    setting: 'stagnation.same_answer',
    value,
    adjustments: patience > 1 ? ['short-answer'] : [],
  };
  return match(alike, needed, base, false, context);
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

/**
 * A short answer, such as a price or a state, may be correct for many questions, and that of a command for many targets,
 * but a search returns what exists.
 */
function patienceFor({ calls }: CallStep, alike: readonly CallStep[]): number {
  if (calls.every(({ nature }) => nature.runs && !nature.idles)) return checksTargets(alike, true) ? 3 : 1;
  const isShort = calls.every(
    ({ identity, nature, result }) =>
      !nature.runs && !SEARCHES.test(identity.name) && (result?.shown.length ?? 0) < SHORT_UNITS,
  );
  return isShort ? 2 : 1;
}

/** Whether the calls differ in their wording, and not in the page that they ask for. */
function isRephrasing(steps: readonly CallStep[]): boolean {
  const [before, latest] = steps.slice(-2).map(({ calls }) => calls[0]?.identity);
  return !(before && latest && turnsPages(before, latest));
}

function match(
  steps: readonly CallStep[],
  threshold: number,
  thresholdOf: ThresholdBase,
  isRephrased: boolean,
  { knowledge: { agents } }: RuleContext,
): RuleMatch {
  const latest = steps.at(-1) as CallStep;
  const count = steps.length;
  const names = namesOf(latest);
  const result = quotedResult(latest.calls[0], agents);
  return {
    rule: 'same-answer',
    steps,
    count,
    threshold,
    thresholdOf,
    ...(isRephrased
      ? sentence`${names} returned the same answer to ${counted(count)} rephrasings of one query${result}`
      : sentence`${names} returned the same answer ${counted(count)} times in a row regardless of its arguments${result}`),
  };
}
