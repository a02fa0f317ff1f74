import type { CallHistory } from '../../calls/call-history.ts';
import { altersState } from '../../calls/call-nature.ts';
import { isPolling } from '../../calls/polling.ts';
import { errorOf, isAlikeStep, movesTowards } from '../../calls/same-step.ts';
import type { CallStep, PastCall } from '../../calls/step.ts';
import { apartFrom, MORE_IF_ALIKE } from '../../incident/alike-results.ts';
import type { ThresholdBase } from '../../incident/finding.ts';
import { callsWithResults, counted, sentence } from '../../incident/shown-calls.ts';
import type { RuleContext, RuleMatch } from './options.ts';
import { isKnownResult } from './rephrased-query.ts';
import { getsFurther } from './same-error.ts';
import type { StepDigests } from './step-digests.ts';

export function thresholdOf(
  rule: 'same_result' | 'nothing_new',
  value: number,
  alike: boolean,
): ThresholdBase {
  return { setting: `stagnation.${rule}`, value, ...(alike && { adjustments: ['alike-results'] }) };
}

/** Number of latest steps that the reason shows. */
const SHOWN_STEPS = 2;

/** @param stale consecutive steps, including the latest, that brought nothing new */
export function nothingNew({ rounds }: CallHistory, stale: number, context: RuleContext): RuleMatch | null {
  const { options, isOpen } = context;
  if (stale < options.nothingNew) return null;
  const steps = rounds.slice(-stale);
  const alike = steps.some((step) => !bringsKnown(rounds, step));
  const threshold = options.nothingNew + (alike ? MORE_IF_ALIKE : 0);
  if (stale < threshold || (!isOpen && isHandledByOthers(rounds, context, alike))) return null;
  if (getsFurther(steps)) return null;
  const shown = callsWithResults(rounds.slice(-SHOWN_STEPS), context.knowledge.agents);
  return {
    rule: 'nothing-new',
    steps,
    count: stale,
    threshold,
    thresholdOf: thresholdOf('nothing_new', options.nothingNew, alike),
    ...sentence`The last ${counted(stale)} steps returned nothing new${apartFrom(alike)}${{ quoted: ` (for example ${shown.map((line) => line.slice(2)).join(' and ')})` }}`,
  };
}

/** Whether the latest step brought nothing new compared with earlier ones. */
export function isStale({ rounds, settled }: CallHistory, digests: StepDigests): boolean {
  if (settled === null || settled.outcome === null || settled.kind === 'transient') return false;
  if (settled.calls.some((call) => isPolling(call) || (settled.kind === 'ok' && altersState(call))))
    return false;
  if (watches(rounds.at(-2), settled)) return false;
  return bringsKnown(rounds, settled, digests) || comesAgain(rounds, settled, digests);
}

/** Whether a look was repeated at once and shows another value: one that it had before may come back. */
function watches(before: CallStep | undefined, now: CallStep): boolean {
  const looks = ({ nature }: PastCall) => !nature.changes && !nature.gui && !nature.navigates;
  return (
    before?.kind === 'ok' &&
    now.kind === 'ok' &&
    before.key === now.key &&
    now.calls.every(looks) &&
    !isAlikeStep(before, now)
  );
}

/** Whether an earlier step had the result of this one. @param digests spare comparisons with the latest step */
function bringsKnown(rounds: readonly CallStep[], step: CallStep, digests?: StepDigests): boolean {
  const error = errorOf(step);
  for (let i = rounds.lastIndexOf(step) - 1; i >= 0; i -= 1) {
    // Errors may also be the same if only their beginnings are.
    if (error === null && digests?.mayBringTheSame(i) === false) continue;
    const earlier = rounds[i] as CallStep;
    if (earlier.outcome === step.outcome || isKnownResult(earlier, step, error)) return true;
  }
  return leadsToKnownPage(rounds, step);
}

/** Whether an earlier step was the same, with a result that differs only in tokens that look random. */
function comesAgain(rounds: readonly CallStep[], settled: CallStep, digests: StepDigests): boolean {
  if (!settled.calls.some(({ result }) => result?.bulk)) return false;
  const equal = rounds.filter((step, i) => digests.mayBeTheSame(i) && step.key === settled.key);
  return equal.slice(0, -1).some((step) => isAlikeStep(step, settled)) && !movesTowards(equal);
}

/** Whether a user interface was operated as before and shows an earlier state, even if from a different step. */
function leadsToKnownPage(rounds: readonly CallStep[], settled: CallStep): boolean {
  if (!settled.calls.every(({ nature }) => nature.gui)) return false;
  const known = (is: (call: PastCall) => boolean) =>
    rounds.some((step) => step !== settled && step.calls.some(is));
  return settled.calls.every(
    ({ key, result }) =>
      result !== null &&
      !result.trivial &&
      known((other) => other.key === key) &&
      known((other) => other.result?.form === result.form),
  );
}

/**
 * Whether the latest steps are a repeated step or the start of a cycle: those have their own detectors and thresholds.
 * If the pattern ends, this rule applies at once.
 */
export function isHandledByOthers(
  all: readonly CallStep[],
  { options }: RuleContext,
  alike = false,
): boolean {
  const longest = options.longestCycle;
  for (let period = 1; period <= longest; period += 1) {
    const count = Math.max(2, Math.min(period, options.nothingNew));
    if (all.length >= count + period && repeats(all, period, count, alike)) return true;
  }
  return false;
}

/** Whether the latest `count` steps have the outcomes of those a period earlier. @param alike or similar ones */
function repeats(all: readonly CallStep[], period: number, count: number, alike: boolean): boolean {
  return all.slice(-count).every((step, i) => {
    const earlier = all[all.length - count + i - period];
    return (
      earlier !== undefined && (step.outcome === earlier.outcome || (alike && isAlikeStep(earlier, step)))
    );
  });
}
