import type { PastCall, Round } from '../../calls/call-history.ts';
import { isForWaiting, waits } from '../../calls/waiting.ts';
import { counted, quotedArguments, quotedResult, sentence } from '../../incident/quoted-calls.ts';
import { isLeftToOthers } from './nothing-new.ts';
import { changesSomething, type StagnationRule } from './rule.ts';

/** The same call with the same result, with other steps in between, when none of them changed anything. */
export const sameResult: StagnationRule = ({ rounds, settled }, context) => {
  const {
    options,
    knowledge: { agents },
    isOpen,
  } = context;
  const telling = settled.calls.filter(isTelling);
  if (telling.length === 0 || (!isOpen && isLeftToOthers(rounds, context))) return null;
  for (const call of telling) {
    const steps: Round[] = [];
    let first = rounds.length;
    for (let i = rounds.length - 1; i >= 0; i -= 1) {
      const round = rounds[i] as Round;
      // What another detector has an incident for is not counted for this one too.
      if (round.explained || changesSomething(round) || isForWaiting(round)) break;
      if (round.calls.some((other) => isSame(other, call))) {
        steps.unshift(round);
        first = i;
      }
    }
    const count = steps.length;
    // Steps that are all the same are a plain repetition, and found as such.
    if (
      count < options.sameResult ||
      (steps.every(({ key }) => key === settled.key) && rounds.length - first === count)
    )
      continue;
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

/** Whether the call asks something, changes nothing, and got an answer that says something. */
function isTelling(call: PastCall): boolean {
  const { nature, result } = call;
  return nature.asks && !nature.changes && result?.kind === 'ok' && !result.trivial && !waits(call);
}

function isSame(a: PastCall, b: PastCall): boolean {
  return a.key === b.key && a.result?.form === b.result?.form;
}
