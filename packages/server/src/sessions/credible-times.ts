import { happenedAt, type SessionSummary } from '@loopwatch/contract';

type Times = Pick<SessionSummary, 'startedAt' | 'lastEventAt'>;

/**
 * The times of a session, without those of a wrong clock: see the contract's `happenedAt`. If its whole clock is wrong, the
 * session ended when its summary was written, and lasted as long as it says.
 *
 * @param at when the summary was written, epoch ms; 0 or less if that is not known
 */
export function credibleTimes({ startedAt, lastEventAt }: Times, at: number): Times {
  if (at <= 0) return { startedAt, lastEventAt };
  const end = happenedAt(lastEventAt, at);
  if (happenedAt(startedAt, at) === startedAt)
    return { startedAt: Math.min(startedAt, end), lastEventAt: end };
  const start = end === lastEventAt ? end : end - (lastEventAt - startedAt);
  return { startedAt: Math.min(happenedAt(start, end), end), lastEventAt: end };
}
