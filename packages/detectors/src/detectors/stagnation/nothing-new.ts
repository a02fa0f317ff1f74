import type { CallHistory } from '../../calls/call-history.ts';
import { altersState } from '../../calls/call-nature.ts';
import {
  type CallStep,
  changesSomething,
  errorOf,
  isPolling,
  isPollingStep,
  type PastCall,
} from '../../calls/step.ts';
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
      ...sentence`${name}${quotedArguments(canonical)} was called ${counted(count)} times with the same result and no change in between${quotedResult(call, agents)}`,
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
  const steps = rounds.slice(-Math.min(stale, rounds.length));
  if (getsFurther(steps)) return null;
  const shown = callsWithResults(rounds.slice(-SHOWN_STEPS), context.knowledge.agents);
  return {
    rule: 'nothing-new',
    steps,
    count: stale,
    threshold: options.nothingNew,
    thresholdOf: { setting: 'stagnation.nothing_new', value: options.nothingNew },
    ...sentence`The last ${counted(stale)} steps returned nothing new${{ quoted: ` (for example ${shown.map((line) => line.slice(2)).join(' and ')})` }}`,
  };
}

/** Whether the latest step brought nothing new compared with earlier ones. */
export function isStale({ rounds, settled }: CallHistory, digests: StepDigests): boolean {
  if (settled === null || settled.outcome === null || settled.kind === 'transient') return false;
  if (settled.calls.some((call) => isPolling(call) || (settled.kind === 'ok' && altersState(call))))
    return false;
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

  /** Upper bound for the number of steps, including the latest, that contain a call of the latest one. */
  sameCalls(): number {
    if (((this.#digests.at(-1) ?? MANY) & MANY) !== 0) return this.#digests.length;
    return this.#countIf(
      (index) => ((this.#digests[index] ?? MANY) & MANY) !== 0 || this.#maySame(index, KEY),
    );
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
