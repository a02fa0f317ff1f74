import type { Round } from '../../calls/call-history.ts';
import { patienceWith, waitingAdjustments } from '../../calls/waiting.ts';
import { counted, quotedResult, sentence } from '../../incident/quoted-calls.ts';
import { errorOf, isSameError } from './known-answers.ts';
import {
  changesSomething,
  isVaried,
  type RuleContext,
  type RuleMatch,
  type StagnationRule,
  soleToolOf,
} from './rule.ts';

/** Looks that may come between two failures of one tool. */
const LOOKS_BETWEEN = 2;

/** Step after step failing with the same error, whatever is called. */
export const sameError: StagnationRule = (calls, context) => {
  const { rounds, settled } = calls;
  const error = errorOf(settled);
  if (error === null) return null;
  let count = 0;
  while (count < rounds.length && isSameError(errorOf(rounds.at(-1 - count)), error)) count += 1;
  const steps = rounds.slice(-count);
  const threshold = context.options.sameError * patienceWith(steps.slice(-1));
  if (count < threshold || !isVaried(steps)) return rejectedAgain(rounds, settled, context);
  const tools = new Set(steps.flatMap((step) => step.calls.map(({ identity }) => identity.name)));
  const result = quotedResult(settled.calls[0], context.knowledge.agents);
  const told =
    tools.size === 1
      ? sentence`${[...tools].join('')} failed ${counted(count)} times in a row with the same error, whatever its arguments${result}`
      : sentence`the last ${counted(count)} steps, calls of ${tools.size} tools, all failed with the same error${result}`;
  const thresholdOf = {
    setting: 'stagnation.same_error',
    value: context.options.sameError,
    adjustments: waitingAdjustments([settled], context.knowledge),
  };
  return { rule: 'same-error', steps, count, threshold, thresholdOf, ...told };
};

/** One tool failing for the same reason, whatever is tried, with nothing but looks in between. */
function rejectedAgain(
  rounds: readonly Round[],
  settled: Round,
  { options, knowledge }: RuleContext,
): RuleMatch | null {
  const { agents } = knowledge;
  const tool = soleToolOf(settled);
  const head = errorHeadOf(settled);
  if (tool === undefined || head === null) return null;
  const steps: Round[] = [];
  let between = 0;
  for (const round of rounds.toReversed()) {
    if (soleToolOf(round) === tool) {
      if (errorHeadOf(round) !== head) break;
      steps.unshift(round);
      between = 0;
    } else {
      between += 1;
      if (between > LOOKS_BETWEEN || changesSomething(round)) break;
    }
  }
  const changes = settled.calls.some(({ nature }) => nature.changes);
  const threshold = (changes ? options.sameFailure : options.sameError) * patienceWith([settled]);
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
      adjustments: waitingAdjustments([settled], knowledge),
    },
    ...sentence`${tool} failed ${counted(count)} times with the same error, whatever its arguments, and nothing was changed in between${quotedResult(settled.calls[0], agents)}`,
  };
}

/** The head of the error that all calls of a step had; none where they run programs, which print what they like first. */
function errorHeadOf(round: Round): string | null {
  const error = errorOf(round);
  const runsProgram = round.calls.some(({ nature }) => nature.runs && !nature.edits);
  return error === null || runsProgram ? null : error.head;
}
