import type { AgentEvent } from './event.ts';

/**
 * The event's time in epoch milliseconds, `fallback` when it carries none (the record's timestamp; in a file the
 * time of the event before it).
 */
export function eventTime(event: AgentEvent, fallback: number): number {
  const { time } = event;
  if (typeof time === 'number') return time;
  if (typeof time === 'string') return Date.parse(time);
  return fallback;
}
