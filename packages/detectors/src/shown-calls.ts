import type { Mark } from './mark.ts';

/** Calls that an evidence shows: the first and the latest. */
export const SHOWN_CALLS = 8;

/** Those of the calls that an evidence shows. */
export function firstAndLatest<T>(calls: readonly T[]): readonly T[] {
  return calls.length <= SHOWN_CALLS ? calls : [...calls.slice(0, 1), ...calls.slice(1 - SHOWN_CALLS)];
}

/** A call as an evidence shows it. */
export function shownCall({ eventIndex, eventId, time }: Mark, name: string, args: string) {
  return { eventIndex, eventId, time, name, arguments: args };
}
