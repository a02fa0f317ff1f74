import type { AgentEvent } from '@loopwatch/contract';
import { isEventType } from '@loopwatch/contract';
import { type Format, type Reading, statelessReader } from './record/format.ts';
import type { JsonObject } from './record/json.ts';

/** Loopwatch's own events. Like those of all formats, they are validated when they are accepted. */
export const canonical: Format = {
  name: 'canonical',
  title: 'Loopwatch events',
  keys: ['v', 'sessionId', 'type', 'promptId', 'callId'],
  recognizes: (record) =>
    typeof record['type'] === 'string' &&
    (record['v'] === 1 || (isEventType(record['type']) && !foreignKeys.some((key) => key in record))),
  createReader: () => statelessReader(read),
};

/** Keys of other producers that use the names of our event types. */
const foreignKeys = ['tool_id', 'tool_use_id', 'part', 'message', 'payload', 'uuid', 'timestamp'];

/** Integers beyond 2^53 are read as text, and so are times in nanoseconds. */
const nanoseconds = /^\d{17,}$/;

/** An event of an unknown type still counts as an event of its session. */
function read(record: JsonObject): Reading {
  const { time } = record;
  const isLong = typeof time === 'string' && nanoseconds.test(time);
  const event = (isLong ? { ...record, time: Number(time) } : record) as AgentEvent;
  return { events: [event], ignored: isEventType(event.type) ? [] : [event.type] };
}
