/** The types of this version; events of other types are accepted and ignored. */
export const eventTypes = [
  'prompt_started',
  'turn_started',
  'content',
  'thought',
  'tool_call_request',
  'tool_result',
  'turn_finished',
  'retry',
  'session_ended',
  'control',
] as const;
export type EventType = (typeof eventTypes)[number];

const known: ReadonlySet<string> = new Set(eventTypes);

/** Whether this version knows the event type. */
export function isEventType(type: string): type is EventType {
  return known.has(type);
}
