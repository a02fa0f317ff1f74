import { happenedAt, isWrongClock, type SessionSummary } from '@loopwatch/contract';

type Times = Pick<SessionSummary, 'startedAt' | 'lastEventAt'>;

/** What the summary of a session says about time, as far as it can be believed. */
interface CredibleTimes extends Times {
  /** How far ahead the session's clock was when the summary was written, ms; absent unless it is wrong. */
  readonly clockOffMs?: number;
}

/**
 * The times of a session, without those of a wrong clock: see the contract's `happenedAt`. If its whole clock is wrong, the
 * session ended when its summary was written, and lasted as long as it says.
 *
 * @param at when the summary was written, epoch ms; 0 or less if that is not known
 */
export function credibleTimes(told: Times, at: number): CredibleTimes {
  if (at <= 0) return told;
  const wrong = [told.lastEventAt, told.startedAt].find((time) => isWrongClock(time, at));
  return { ...boundedTimes(told, at), ...(wrong !== undefined && { clockOffMs: wrong - at }) };
}

function boundedTimes({ startedAt, lastEventAt }: Times, at: number): Times {
  const end = happenedAt(lastEventAt, at);
  if (happenedAt(startedAt, at) === startedAt)
    return { startedAt: Math.min(startedAt, end), lastEventAt: end };
  const start = end === lastEventAt ? end : end - (lastEventAt - startedAt);
  return { startedAt: Math.min(happenedAt(start, end), end), lastEventAt: end };
}
