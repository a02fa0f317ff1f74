import { altersState } from '../../calls/call-nature.ts';
import { isReceipt } from '../../calls/navigation.ts';
import { isPolling, isPollingStep } from '../../calls/polling.ts';
import { isAlikeCall, movesTowards } from '../../calls/same-step.ts';
import { type CallStep, changesSomething, type PastCall } from '../../calls/step.ts';
import { apartFrom, MORE_IF_ALIKE } from '../../incident/alike-results.ts';
import { counted, quotedArguments, quotedResult, sentence } from '../../incident/shown-calls.ts';
import { isHandledByOthers, thresholdOf } from './nothing-new.ts';
import type { StagnationRule } from './options.ts';

/** The same call returns the same result, with other steps in between that changed nothing. */
export const sameResult: StagnationRule = ({ rounds, settled }, context) => {
  const {
    options,
    knowledge: { agents },
    digests,
    isOpen,
  } = context;
  if (digests.sameCalls() < options.sameResult) return null;
  for (const call of settled.calls.filter(isTelling)) {
    for (const alike of [false, true]) {
      const threshold = options.sameResult + (alike ? MORE_IF_ALIKE : 0);
      const found = stepsWith(call, rounds, alike ? isAlikeCall : isSameCall, threshold);
      const count = found.length;
      const steps = found.map((i) => rounds[i] as CallStep);
      if (count < threshold || (alike && movesTowards(steps))) continue;
      // Identical consecutive steps are a plain repetition, which tool-repeat reports.
      if (steps.every(({ key }) => key === settled.key) && rounds.length - (found[0] ?? 0) === count)
        continue;
      if (!isOpen && isHandledByOthers(rounds, context, alike)) return null;
      const { name, arguments: canonical } = call.identity;
      return {
        rule: 'same-result',
        steps,
        count,
        threshold,
        thresholdOf: thresholdOf('same_result', options.sameResult, alike),
        ...sentence`${name}${quotedArguments(canonical)} was called ${counted(count)} times with the same result${apartFrom(alike)} and no change in between${quotedResult(call, agents)}`,
      };
    }
  }
  return null;
};

/**
 * Where the latest steps, up to one that changed something, contain this call, oldest first.
 *
 * @param least fewer are not examined further
 */
function stepsWith(
  call: PastCall,
  rounds: readonly CallStep[],
  isEqual: (a: PastCall, b: PastCall) => boolean,
  least: number,
): number[] {
  const found: number[] = [];
  for (let i = rounds.length - 1; i >= 0; i -= 1) {
    const step = rounds[i] as CallStep;
    // Steps that belong to another detector's incident do not count here.
    if (step.explained || changesSomething(step) || isPollingStep(step)) break;
    if (step.calls.some((other) => isEqual(other, call))) found.unshift(i);
  }
  if (found.length < least) return found;
  let since = rounds.length - 1;
  while (since > 0 && (found.includes(since) || !isNewAct(rounds, since, call))) since -= 1;
  return found.filter((at) => at >= since);
}

/** The way back leads to the same page from any other. */
const RETURNS = /back/i;

/** Whether a step did what was not done before, so that the same look may be at something else. */
function isNewAct(rounds: readonly CallStep[], index: number, look: PastCall): boolean {
  const { key, calls } = rounds[index] as CallStep;
  const isFirst = (is: (step: CallStep) => boolean) => rounds.findIndex(is) === index;
  const isAct = (call: PastCall) => {
    const { nature, result } = call;
    if (result?.kind !== 'ok') return false;
    if (isReceipt(result) || (result.trivial && !nature.reads))
      return nature.asks && !nature.runs && !result.negative && !result.empty;
    if (look.nature.gui && !RETURNS.test(look.identity.name)) return false;
    const moves = nature.gui || nature.navigates || altersState(call);
    return moves && isFirst((step) => step.calls.some((one) => one.result?.form === result.form));
  };
  return isFirst((step) => step.key === key) && calls.some(isAct);
}

function isSameCall(a: PastCall, b: PastCall): boolean {
  return a.key === b.key && a.result?.form === b.result?.form;
}

/** Whether the call is a question that changes nothing and got an informative answer. */
function isTelling(call: PastCall): boolean {
  const { nature, result } = call;
  return (
    nature.asks &&
    !nature.changes &&
    result?.kind === 'ok' &&
    !result.trivial &&
    !isReceipt(result) &&
    !isPolling(call)
  );
}
