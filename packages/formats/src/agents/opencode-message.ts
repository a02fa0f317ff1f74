import { ignored, type Reading, reading, type SessionEvent, type Stamp } from '../record/format.ts';
import {
  isObject,
  type JsonObject,
  listOf,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
} from '../record/json.ts';
import { plainResult } from '../wire/result.ts';
import { usageOf } from './opencode-usage.ts';

/** Types of the messages of opencode 2 that are neither the model's nor a person's. */
const others = new Set([
  ...['synthetic', 'system', 'skill', 'shell', 'compaction', 'idle'],
  ...['agent-switched', 'model-switched', 'location-switched'],
]);

/**
 * Whether a record is a message as opencode 2 stores it in `session_message`: one per step of the model, with its texts and
 * calls, whose results are added to it.
 */
export function isStoredMessage(record: JsonObject): boolean {
  const { type, time, content, text } = record;
  if (!isObject(time) || time['created'] === undefined || 'messageID' in record) return false;
  if (type === 'assistant') return Array.isArray(content);
  return type === 'user' ? typeof text === 'string' : others.has(nameOf(type));
}

export function readStoredMessage(message: JsonObject, session: Stamp): Reading {
  const { type, cost, tokens } = message;
  const id = textOf(message['id']) ?? '';
  const { created, completed } = objectOf(message['time']);
  const stamp = {
    ...session,
    time: timeOf(created),
    agent: 'opencode',
    model: textOf(objectOf(message['model'])['id']),
  };
  if (type === 'user') {
    const text = textOf(message['text']) ?? '';
    return reading([{ ...stamp, id, type: 'prompt_started', text }]);
  }
  if (type !== 'assistant') return ignored(`message (${nameOf(type)})`);
  const parts = listOf(message['content']).map((part, i) =>
    readContent(objectOf(part), `${id}:${String(i)}`, stamp),
  );
  const usage = usageOf(tokens);
  const end = { ...stamp, time: timeOf(completed) ?? stamp.time };
  return {
    events: [
      { ...stamp, id, type: 'turn_started' },
      ...parts.flatMap(({ events }) => events),
      ...(completed === undefined
        ? []
        : [{ ...end, id: `end:${id}`, type: 'turn_finished' as const, usage, costUsd: numberOf(cost) }]),
    ],
    ignored: parts.flatMap((part) => part.ignored),
  };
}

function readContent(part: JsonObject, id: string, stamp: Stamp): Reading {
  const type = nameOf(part['type']);
  const text = textOf(part['text']);
  if (type === 'tool') return readTool(part, stamp);
  if (text === undefined || (type !== 'text' && type !== 'reasoning')) return ignored(`content (${type})`);
  return reading([{ ...stamp, id, type: type === 'text' ? 'content' : 'thought', text }]);
}

function readTool(part: JsonObject, stamp: Stamp): Reading {
  const { status, input, content, error } = objectOf(part['state']);
  const { created, ran, completed } = objectOf(part['time']);
  const callId = textOf(part['id']) ?? '';
  if (status === 'streaming') return ignored('content (tool, streaming)');
  const call = { ...stamp, callId, time: timeOf(ran ?? created) ?? stamp.time };
  const args = { ...objectOf(input) };
  const name = textOf(part['name']) ?? '';
  const events: SessionEvent[] = [{ ...call, id: `call:${callId}`, type: 'tool_call_request', name, args }];
  if (status === 'completed' || status === 'error') {
    const isError = status === 'error';
    const said = isError ? (textOf(objectOf(error)['message']) ?? error) : undefined;
    const result = plainResult(content ?? said);
    const time = timeOf(completed) ?? call.time;
    events.push({ ...call, time, id: `result:${callId}`, type: 'tool_result', result, isError });
  }
  return reading(events);
}
