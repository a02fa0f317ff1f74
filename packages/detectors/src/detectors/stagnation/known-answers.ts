import type { Round } from '../../calls/call-history.ts';
import type { ResultForm } from '../../calls/normalize-result.ts';
import { turnsPages } from './paging.ts';
import { isReworded } from './reworded.ts';

/** Common words among all words of two wordings of one question; where nothing was found, little tells them apart. */
const COMMON_SHARE = 0.25;
const EMPTY_SHARE = 0.4;

/** The error of a step that failed for good, if all its calls had the same; none where it only says that it failed. */
export function errorOf(round: Round | undefined): ResultForm | null {
  if (round?.kind !== 'error') return null;
  const [first, ...others] = round.calls
    .map(({ result }) => result)
    .filter((result) => result?.kind !== 'not_run');
  if (!first || first.failure === null) return null;
  return others.every((other) => isSameError(other, first)) ? first : null;
}

/** The same words, or the same but for what came from the calls. */
export function isSameError(a: ResultForm | null, b: ResultForm): boolean {
  return a !== null && a.failure !== null && (a.failure === b.failure || a.gist === b.gist);
}

/** Whether the same tool failed with this error before, or gave this answer to the question in other words. */
export function isKnownAnswer(before: Round, settled: Round): boolean {
  const error = errorOf(settled);
  if (error === null) return answersAlike(before, settled);
  const [first] = before.calls;
  const [second] = settled.calls;
  return first?.identity.name === second?.identity.name && isSameError(errorOf(before), error);
}

/**
 * Whether these are one call each, of one tool, that put the same question in other words, or asked for another page, and got
 * the same answer.
 *
 * @param expected it has been so before, so that less in common is enough
 */
export function answersAlike(before: Round, settled: Round, expected = false): boolean {
  const [first, ...firstOthers] = before.calls;
  const [second, ...secondOthers] = settled.calls;
  if (!first?.result || !second?.result || firstOthers.length + secondOthers.length > 0) return false;
  const { empty, trivial, gist, kind, failure } = second.result;
  const says = kind === 'error' ? failure !== null : (empty || !trivial) && second.nature.asks;
  return (
    says &&
    first.identity.name === second.identity.name &&
    first.result.gist === gist &&
    first.result.kind === kind &&
    (turnsPages(first.identity, second.identity) ||
      isReworded(first.identity, second.identity, empty && !expected ? EMPTY_SHARE : COMMON_SHARE))
  );
}
