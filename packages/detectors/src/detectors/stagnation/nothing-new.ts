import type { CallHistory, Round } from '../../calls/call-history.ts';
import { waits } from '../../calls/waiting.ts';
import { callsWithResults, counted, sentence } from '../../incident/quoted-calls.ts';
import { isKnownAnswer } from './known-answers.ts';
import type { RuleContext, RuleMatch } from './rule.ts';

/** Latest steps that the sentence shows. */
const SHOWN_STEPS = 2;

/** @param stale steps in a row, the latest included, that brought nothing new */
export function nothingNew({ rounds }: CallHistory, stale: number, context: RuleContext): RuleMatch | null {
  const { options, isOpen } = context;
  if (stale < options.nothingNew || (!isOpen && isLeftToOthers(rounds, context))) return null;
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

/** Whether the latest step brought nothing that an earlier one had not. */
export function isStale({ rounds, settled }: CallHistory): boolean {
  if (settled === null || settled.outcome === null || settled.kind === 'transient') return false;
  if (settled.calls.some(waits)) return false;
  const earlier = rounds.slice(0, -1);
  return (
    earlier.some((round) => round.outcome === settled.outcome || isKnownAnswer(round, settled)) ||
    leadsToKnownPage(earlier, settled)
  );
}

/** Whether an interface was operated as before, and it shows what it showed before, though not at the same step. */
function leadsToKnownPage(earlier: readonly Round[], { calls }: Round): boolean {
  if (!calls.every(({ nature }) => nature.gui)) return false;
  const before = earlier.flatMap((round) => round.calls);
  return calls.every(
    ({ key, result }) =>
      result !== null &&
      !result.trivial &&
      before.some((other) => other.key === key) &&
      before.some((other) => other.result?.form === result.form),
  );
}

/**
 * Whether the latest steps are one step over and over, or a cycle that has begun to come round: these have detectors
 * of their own, and patience of their own. Should it break off, this rule holds at once.
 */
export function isLeftToOthers(all: readonly Round[], { options }: RuleContext): boolean {
  const longest = options.longestCycle;
  for (let period = 1; period <= longest; period += 1) {
    const count = Math.max(2, Math.min(period, options.nothingNew));
    const latest = all.slice(-count - period);
    const repeats = latest.slice(period).every(({ outcome }, i) => outcome === latest[i]?.outcome);
    if (latest.length === count + period && repeats) return true;
  }
  return false;
}
