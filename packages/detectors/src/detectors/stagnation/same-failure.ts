import type { Round } from '../../calls/call-history.ts';
import { isForWaiting } from '../../calls/waiting.ts';
import { counted, quotedResult, quotedStep, sentence } from '../../incident/quoted-calls.ts';
import { changesSomething, type StagnationRule } from './rule.ts';

/** The same call failing in the same way, with other calls in between that changed nothing. */
export const sameFailure: StagnationRule = ({ rounds, settled }, { options, knowledge: { agents } }) => {
  if (settled.kind !== 'error') return null;
  const steps: Round[] = [];
  let first = rounds.length;
  for (let i = rounds.length - 1; i >= 0; i -= 1) {
    const round = rounds[i] as Round;
    if (changesSomething(round)) break;
    // Time may cure it.
    if (round.key !== settled.key && isForWaiting(round)) break;
    if (round.key === settled.key && round.outcome === settled.outcome) {
      steps.unshift(round);
      first = i;
    }
  }
  const count = steps.length;
  // With nothing in between it is a plain repetition, and found as such.
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
