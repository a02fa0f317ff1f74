import { errorsMoveOn } from '../results/error-tokens.ts';
import { type NormalizedResult, SHOWN_UNITS } from '../results/normalize-result.ts';
import { isAlike, movesOn } from '../results/sameness.ts';
import { drawsValue, isDeliveredAgain } from './call-effects.ts';
import type { CallStep, PastCall } from './step.ts';

/**
 * Whether two steps are the same calls with the same results, apart from tokens that look random and are not what was
 * asked for.
 */
export function isAlikeStep(before: CallStep, now: CallStep): boolean {
  if (before.key !== now.key) return false;
  if (before.outcome === now.outcome) return true;
  return now.calls.every((call) => {
    const old = before.calls.find(({ key }) => key === call.key);
    return old !== undefined && isAlikeCall(old, call);
  });
}

/** The same for two calls. */
export function isAlikeCall(before: PastCall, now: PastCall): boolean {
  if (before.key !== now.key) return false;
  const [old, result] = [before.result, now.result];
  if (!result || !old) return result === old;
  if (result.failure !== null && result.failure === old.failure) return true;
  if (isShuffled(now, old, result) || isDeliveredAgain(now, old, result)) return true;
  return isAlike(old, result) && (old.form === result.form || result.kind !== 'ok' || !drawsValue(now));
}

const QUERIES = /query/i;
/** Parts of a list, as JSON, as a table or as a program prints it. */
const PARTS = /[^\s,()[\]{}]+/g;

/** Whether a look has the result from before, not cut off, in another order: sets and tables have none. */
function isShuffled({ identity, nature }: PastCall, old: NormalizedResult, now: NormalizedResult): boolean {
  const { length } = now.shown;
  if (old.shown.length !== length || length >= SHOWN_UNITS || old.form === now.form) return false;
  if (nature.gui || nature.navigates || !(nature.reads || QUERIES.test(identity.name))) return false;
  const [one, two] = [old, now].map(({ shown }) => shown.match(PARTS)?.toSorted().join(' '));
  return one === two;
}

/** Whether a number in the results of these equal steps moves towards something. */
export function movesTowards(steps: readonly CallStep[]): boolean {
  return (steps.at(-1)?.calls ?? []).some(({ key, result }) => {
    const results = steps.flatMap(({ calls }) => calls.find((call) => call.key === key)?.result ?? []);
    return movesOn(results) || (result?.kind === 'error' && errorsMoveOn(results));
  });
}

/**
 * The non-transient error that all calls of a step share; `null` if there is none, or it only says that something
 * failed.
 */
export function errorOf(step: CallStep | undefined): NormalizedResult | null {
  if (step?.kind !== 'error') return null;
  const run = (call: PastCall) => call.result?.kind !== 'not_run';
  const first = step.calls.find(run)?.result ?? null;
  if (first === null || first.failure === null) return null;
  return step.calls.every((call) => !run(call) || isSameError(call.result, first)) ? first : null;
}

/** Whether two errors are equal, or differ only in text echoed from the calls. */
export function isSameError(a: NormalizedResult | null, b: NormalizedResult): boolean {
  return a !== null && a.failure !== null && (a.failure === b.failure || a.gist === b.gist);
}
