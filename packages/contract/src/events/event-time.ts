import type { AgentEvent } from './event.ts';

/**
 * The event's time in epoch milliseconds.
 *
 * @param fallback for an event without a time: the record's timestamp, or in a file the time of the previous event
 */
export function eventTime(event: AgentEvent, fallback: number): number {
  const { time } = event;
  if (typeof time === 'number') return time;
  if (typeof time === 'string') return Date.parse(time);
  return fallback;
}
