import type { SessionEvent, Stamp } from './format.ts';
import type { Message } from './message.ts';

/** The id of the event of a call or result; `fallback` suits if it has none of its own. */
export type PartId = (kind: 'call' | 'result', id: string | null, fallback: string) => string;

/** The events of a message. @param id of its first event */
export function eventsOf(message: Message, id: string, partId: PartId, record: Stamp): SessionEvent[] {
  if (message.role === 'system') return [];
  const stamp = message.time === undefined ? record : { ...record, time: message.time };
  if (message.role === 'user') {
    const { text, origin } = message;
    return [{ ...stamp, id, type: 'prompt_started', text, origin }];
  }
  if (message.role === 'tool')
    return message.results.map(({ id: callId, result, isError }, i) => ({
      ...stamp,
      id: partId('result', callId, `${id}.${String(i)}`),
      type: 'tool_result',
      callId: callId ?? undefined,
      result,
      isError,
    }));
  const { agent, thought, text, calls, usage, costUsd } = message;
  const own = { ...stamp, agent: stamp.agent ?? agent };
  const events: SessionEvent[] = [{ ...own, id, type: 'turn_started' }];
  if (thought !== undefined) events.push({ ...own, id: `${id}.thought`, type: 'thought', text: thought });
  if (text !== undefined) events.push({ ...own, id: `${id}.text`, type: 'content', text });
  calls.forEach(({ id: callId, name, args, hasUnknownArgs = false }, i) => {
    const callEventId = partId('call', callId, `${id}.${String(i)}`);
    const given = typeof args === 'string' ? args : { ...args };
    events.push({
      ...own,
      id: callEventId,
      type: 'tool_call_request',
      callId: callId ?? undefined,
      name,
      ...(hasUnknownArgs ? { argsHash: callEventId } : { args: given }),
    });
  });
  events.push({ ...own, id: `${id}.end`, type: 'turn_finished', usage, costUsd });
  return events;
}
