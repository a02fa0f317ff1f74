import type { AgentEvent } from '@loopwatch/contract';

/**
 * Adds turns to sessions that have none, because only the spans of their tools were exported, if some of these overlap: a call that
 * starts while the one before still runs is of the same step. The events are those of whole files in order of time.
 */
export function withToolSteps(events: readonly AgentEvent[]): readonly AgentEvent[] {
  const withTurns = new Set(
    events.flatMap(({ type, sessionId }) => (type === 'turn_started' ? [sessionId] : [])),
  );
  // A call without a result says nothing of how long it ran.
  const answered = new Set(events.flatMap(({ type, callId }) => (type === 'tool_result' ? [callId] : [])));
  const overlapping = new Set<unknown>();
  const first = new Set<AgentEvent>();
  /** The call of a session that started last, while it runs. */
  const latest = new Map<unknown, unknown>();
  for (const event of events) {
    const { type, sessionId, callId } = event;
    if (type === 'tool_result' && latest.get(sessionId) === callId) latest.delete(sessionId);
    if (type !== 'tool_call_request' || withTurns.has(sessionId)) continue;
    if (latest.has(sessionId)) overlapping.add(sessionId);
    else first.add(event);
    if (answered.has(callId)) latest.set(sessionId, callId);
    else latest.delete(sessionId);
  }
  return events.flatMap((event) => {
    const { sessionId, id, time, agent } = event;
    if (!first.has(event) || !overlapping.has(sessionId)) return [event];
    return [{ type: 'turn_started', sessionId, time, agent, id: `${String(id)}.turn` }, event];
  });
}
