import type { AgentEvent } from '@loopwatch/contract';
import { isEventType } from '@loopwatch/contract';
import { type Format, type Reading, statelessReader } from './record/format.ts';
import type { JsonObject } from './record/json.ts';

/** Our own events. Whether one is sound is checked where it is taken, as for the events of every other format. */
export const canonical: Format = {
  name: 'canonical',
  title: 'Loopwatch events',
  keys: ['v', 'sessionId', 'type', 'promptId', 'callId'],
  recognises: (record) =>
    typeof record['type'] === 'string' &&
    (record['v'] === 1 || (isEventType(record['type']) && !othersKeys.some((key) => key in record))),
  createReader: () => statelessReader(read),
};

/** Other producers use names of our event types, too, but together with these. */
const othersKeys = ['tool_id', 'tool_use_id', 'part', 'message', 'payload', 'uuid', 'timestamp'];

/** An event of an unknown type is an event of its session all the same: it has a place in the order. */
function read(record: JsonObject): Reading {
  const event = record as AgentEvent;
  return { events: [event], ignored: isEventType(event.type) ? [] : [event.type] };
}
