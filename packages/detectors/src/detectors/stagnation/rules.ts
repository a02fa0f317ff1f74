import type { CallHistory } from '../../calls/call-history.ts';
import {
  type CallStep,
  changesSomething,
  errorOf,
  isPolling,
  isPollingStep,
  isSameError,
  isVaried,
  type PastCall,
  pollingAdjustments,
  pollingPatience,
  soleToolOf,
} from '../../calls/step.ts';
import {
  callsWithResults,
  counted,
  quotedArguments,
  quotedResult,
  quotedStep,
  sentence,
} from '../../incident/shown-calls.ts';
import type { RuleContext, RuleMatch, StagnationRule } from './options.ts';
import { isKnownResult } from './same-answer.ts';
import type { StepDigests } from './step-digests.ts';

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
  if (count < threshold || !isVaried(steps)) return null;
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
  if (settled.kind !== 'error' || digests.sameOutcomes() < options.sameFailure) return null;
  const steps: CallStep[] = [];
  let first = rounds.length;
  for (let i = rounds.length - 1; i >= 0; i -= 1) {
    const step = rounds[i] as CallStep;
    if (changesSomething(step)) break;
    // Waiting may resolve the failure.
    if (step.key !== settled.key && isPollingStep(step)) break;
    if (step.key === settled.key && step.outcome === settled.outcome) {
      steps.unshift(step);
      first = i;
    }
  }
  const count = steps.length;
  // Without other steps in between it is a plain repetition, which tool-repeat reports.
  if (count < options.sameFailure || rounds.length - first === count) return null;
  return {
    rule: 'same-failure',
    steps,
    count,
    threshold: options.sameFailure,
    thresholdOf: { setting: 'stagnation.same_failure', value: options.sameFailure },
    ...sentence`${quotedStep(settled)} was tried ${counted(count)} times and failed the same way each time, and nothing was changed in between${quotedResult(settled.calls[0], agents)}`,
  };
};

/** The same call returns the same result, with other steps in between that changed nothing. */
export const sameResult: StagnationRule = ({ rounds, settled }, context) => {
  const {
    options,
    knowledge: { agents },
    digests,
    isOpen,
  } = context;
  if (digests.sameCalls() < options.sameResult) return null;
  for (const call of settled.calls) {
    if (!isTelling(call)) continue;
    const steps: CallStep[] = [];
    let first = rounds.length;
    for (let i = rounds.length - 1; i >= 0; i -= 1) {
      const step = rounds[i] as CallStep;
      // Steps that belong to another detector's incident do not count here.
      if (step.explained || changesSomething(step) || isPollingStep(step)) break;
      if (step.calls.some((other) => isSame(other, call))) {
        steps.unshift(step);
        first = i;
      }
    }
    const count = steps.length;
    // Identical consecutive steps are a plain repetition, which tool-repeat reports.
    if (
      count < options.sameResult ||
      (steps.every(({ key }) => key === settled.key) && rounds.length - first === count)
    )
      continue;
    if (!isOpen && isHandledByOthers(rounds, context)) return null;
    const { name, arguments: canonical } = call.identity;
    return {
      rule: 'same-result',
      steps,
      count,
      threshold: options.sameResult,
      thresholdOf: { setting: 'stagnation.same_result', value: options.sameResult },
      ...sentence`${name}${quotedArguments(canonical)} was called ${counted(count)} times with the same result, and nothing was changed in between${quotedResult(call, agents)}`,
    };
  }
  return null;
};

/** Whether the call is a question that changes nothing and got an informative answer. */
function isTelling(call: PastCall): boolean {
  const { nature, result } = call;
  return nature.asks && !nature.changes && result?.kind === 'ok' && !result.trivial && !isPolling(call);
}

function isSame(a: PastCall, b: PastCall): boolean {
  return a.key === b.key && a.result?.form === b.result?.form;
}

/** Number of latest steps that the reason shows. */
const SHOWN_STEPS = 2;

/** @param stale consecutive steps, including the latest, that brought nothing new */
export function nothingNew({ rounds }: CallHistory, stale: number, context: RuleContext): RuleMatch | null {
  const { options, isOpen } = context;
  if (stale < options.nothingNew || (!isOpen && isHandledByOthers(rounds, context))) return null;
  const shown = callsWithResults(rounds.slice(-SHOWN_STEPS), context.knowledge.agents);
  return {
    rule: 'nothing-new',
    steps: rounds.slice(-Math.min(stale, rounds.length)),
    count: stale,
    threshold: options.nothingNew,
    thresholdOf: { setting: 'stagnation.nothing_new', value: options.nothingNew },
    ...sentence`the last ${counted(stale)} steps brought nothing new: every call had a result that was known${{ quoted: `, as ${shown.map((line) => line.slice(2)).join(' and ')}` }}`,
  };
}

/** Whether the latest step brought nothing new compared with earlier ones. */
export function isStale({ rounds, settled }: CallHistory, digests: StepDigests): boolean {
  if (settled === null || settled.outcome === null || settled.kind === 'transient') return false;
  if (settled.calls.some(isPolling)) return false;
  const error = errorOf(settled);
  for (let i = rounds.length - 2; i >= 0; i -= 1) {
    // Errors may also be the same if only their beginnings are.
    if (error === null && !digests.mayBringTheSame(i)) continue;
    const step = rounds[i] as CallStep;
    if (step.outcome === settled.outcome || isKnownResult(step, settled, error)) return true;
  }
  return leadsToKnownPage(rounds, settled);
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
export function isHandledByOthers(all: readonly CallStep[], { options }: RuleContext): boolean {
  const longest = options.longestCycle;
  for (let period = 1; period <= longest; period += 1) {
    const count = Math.max(2, Math.min(period, options.nothingNew));
    if (all.length >= count + period && repeats(all, period, count)) return true;
  }
  return false;
}

/** Whether the latest `count` steps have the outcomes of those a period earlier. */
function repeats(all: readonly CallStep[], period: number, count: number): boolean {
  for (let i = all.length - 1; i >= all.length - count; i -= 1)
    if (all[i]?.outcome !== all[i - period]?.outcome) return false;
  return true;
}
