import type { AgentEvent } from './event.ts';

/**
 * The event's time in epoch milliseconds.
 *
 * @param fallback for an event without a time: the record's timestamp, or in a file the time of the previous event
 */
export function eventTime(event: AgentEvent, fallback: number): number {
  const { time } = event;
  if (typeof time === 'number') return inMilliseconds(time);
  if (typeof time === 'string') return Date.parse(time);
  return fallback;
}

/** No agent worked before July 2017: until the year 2286, smaller numbers are seconds, larger ones micro- or nanoseconds. */
function inMilliseconds(time: number): number {
  if (time >= 1.5e15) return Math.round(time / (time < 1.5e18 ? 1e3 : 1e6));
  return time >= 1.5e9 && time < 1e10 ? Math.round(time * 1e3) : time;
}
