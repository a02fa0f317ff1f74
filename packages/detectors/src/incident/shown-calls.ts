import type { EvidenceCall } from '@loopwatch/contract';
import type { Mark } from '../calls/mark.ts';

/** Calls that an evidence shows: the first and the latest. */
export const SHOWN_CALLS = 8;

/** Those of the calls, or of the steps, that an evidence shows. */
export function firstAndLatest<T>(calls: readonly T[], most = SHOWN_CALLS): readonly T[] {
  return calls.length <= most ? calls : [...calls.slice(0, 1), ...calls.slice(1 - most)];
}

/** A call as an evidence shows it. @param step which step of the loop it is, from 1 */
export function shownCall(
  { eventIndex, eventId, time }: Mark,
  name: string,
  args: string,
  step: number,
): EvidenceCall {
  return { eventIndex, eventId, time, name, arguments: args, step };
}
