import type { CallHistory } from '../../calls/call-history.ts';
import { altersState } from '../../calls/call-nature.ts';
import {
  type CallStep,
  changesSomething,
  errorOf,
  isAlikeCall,
  isAlikeStep,
  isPolling,
  isPollingStep,
  movesTowards,
  type PastCall,
} from '../../calls/step.ts';
import type { ThresholdBase } from '../../incident/finding.ts';
import {
  callsWithResults,
  counted,
  quotedArguments,
  quotedResult,
  sentence,
} from '../../incident/shown-calls.ts';
import type { RuleContext, RuleMatch, StagnationRule } from './options.ts';
import { isKnownResult } from './rephrased-query.ts';
import { getsFurther } from './same-error.ts';

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
      const found = stepsWith(call, rounds, alike ? isAlikeCall : isSameCall);
      const count = found.length;
      const threshold = options.sameResult + (alike ? MORE_IF_ALIKE : 0);
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

/** Where the latest steps, up to one that changed something, contain this call, oldest first. */
function stepsWith(
  call: PastCall,
  rounds: readonly CallStep[],
  isEqual: (a: PastCall, b: PastCall) => boolean,
): number[] {
  const found: number[] = [];
  for (let i = rounds.length - 1; i >= 0; i -= 1) {
    const step = rounds[i] as CallStep;
    // Steps that belong to another detector's incident do not count here.
    if (step.explained || changesSomething(step) || isPollingStep(step)) break;
    if (step.calls.some((other) => isEqual(other, call))) found.unshift(i);
  }
  return found;
}

function isSameCall(a: PastCall, b: PastCall): boolean {
  return a.key === b.key && a.result?.form === b.result?.form;
}

/** Whether the call is a question that changes nothing and got an informative answer. */
function isTelling(call: PastCall): boolean {
  const { nature, result } = call;
  return nature.asks && !nature.changes && result?.kind === 'ok' && !result.trivial && !isPolling(call);
}

/** Results that are the same only apart from random tokens leave doubt: they count from one repetition more. */
const MORE_IF_ALIKE = 1;

function thresholdOf(rule: 'same_result' | 'nothing_new', value: number, alike: boolean): ThresholdBase {
  return { setting: `stagnation.${rule}`, value, ...(alike && { adjustments: ['alike-results'] }) };
}

function apartFrom(alike: boolean): string {
  return alike ? ' apart from random tokens' : '';
}

/** Number of latest steps that the reason shows. */
const SHOWN_STEPS = 2;

/** @param stale consecutive steps, including the latest, that brought nothing new */
export function nothingNew({ rounds }: CallHistory, stale: number, context: RuleContext): RuleMatch | null {
  const { options, isOpen } = context;
  if (stale < options.nothingNew) return null;
  const steps = rounds.slice(-Math.min(stale, rounds.length));
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
  return bringsKnown(rounds, settled, digests) || comesAgain(rounds, settled, digests);
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

/** The bits of each of a step's digests, and their positions. */
const BITS = 10;
const MASK = 2 ** BITS - 1;
const OUTCOME = 0;
const KEY = BITS;
const ANSWER = 2 * BITS;
/** Set for a step of several calls, whose key and answer have no digest. */
const MANY = 2 ** (3 * BITS);
/** Number of units of a text that its digest depends on, evenly spread. */
const SAMPLES = 12;

/**
 * Small digests of the remembered steps. Most steps differ, and different digests prove it; comparing the steps
 * themselves, which are far apart in memory, takes many times as long. The digests are derived from the steps, so a
 * snapshot does not include them.
 */
export class StepDigests {
  #digests: number[] = [];
  #latest: CallStep | undefined;
  #previous: CallStep | undefined;

  /** Call when a step has settled. */
  follow(rounds: readonly CallStep[]): void {
    const settled = rounds.at(-1);
    const before = rounds.at(-2);
    if (settled === undefined) return;
    if (before === undefined || (before !== this.#latest && before !== this.#previous))
      this.#digests = rounds.map(digestOf);
    else {
      if (before === this.#previous) this.#digests.pop();
      this.#digests.push(digestOf(settled));
      if (this.#digests.length > rounds.length) this.#digests.shift();
    }
    this.#latest = settled;
    this.#previous = before;
  }

  /** Whether the step at an index may have the outcome of the latest step, or the answer to its only call. */
  mayBringTheSame(index: number): boolean {
    return this.#maySame(index, OUTCOME) || this.#maySame(index, ANSWER);
  }

  /** Whether the step at an index may consist of the calls of the latest one. */
  mayBeTheSame(index: number): boolean {
    return ((this.#digests[index] ?? MANY) & MANY) !== 0 || this.#maySame(index, KEY);
  }

  /** Upper bound for the number of steps, including the latest, that contain a call of the latest one. */
  sameCalls(): number {
    if (((this.#digests.at(-1) ?? MANY) & MANY) !== 0) return this.#digests.length;
    return this.#countIf((index) => this.mayBeTheSame(index));
  }

  #maySame(index: number, shift: number): boolean {
    const latest = this.#digests[this.#digests.length - 1] ?? 0;
    return (((latest ^ (this.#digests[index] ?? 0)) >>> shift) & MASK) === 0;
  }

  #countIf(is: (index: number) => boolean): number {
    let count = 0;
    for (let i = 0; i < this.#digests.length; i += 1) if (is(i)) count += 1;
    return count;
  }

  clear(): void {
    this.#digests = [];
    this.#latest = undefined;
    this.#previous = undefined;
  }
}

function digestOf({ calls, outcome }: CallStep): number {
  const own = digest(outcome ?? '') << OUTCOME;
  const [call] = calls;
  if (call === undefined || calls.length > 1) return own | MANY;
  return own | (digest(call.key) << KEY) | (digest(call.result?.gist ?? '') << ANSWER);
}

function digest(text: string): number {
  const { length } = text;
  let sum = length;
  for (let i = length - 1; i >= 0; i -= Math.ceil(length / SAMPLES))
    sum = Math.imul(sum, 31) + text.charCodeAt(i);
  return (sum ^ (sum >>> BITS) ^ (sum >>> (2 * BITS))) & MASK;
}
