import {
  isObject,
  type JsonObject,
  joinedText,
  listOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
} from '../record/json.ts';
import type { Message } from '../record/message.ts';
import { readMessage } from '../wire/messages.ts';
import { messageLog, withUsage } from './message-log.ts';

/**
 * smolagents: the steps of an agent's memory (`memory.get_full_steps()` and `get_succinct_steps()`). A step has one observation
 * for all of its calls. Source: `smolagents/memory.py` 1.
 */
export const smolagents = messageLog({
  name: 'smolagents',
  title: 'a step of smolagents',
  agent: 'smolagents',
  keys: [
    'step_number',
    'timing',
    'tool_calls',
    'observations',
    'model_output',
    'action_output',
    'token_usage',
  ],
  recognizes: (record) => isAction(record) || isTask(record) || isPlan(record),
  read: (record) => {
    const { start_time: start, end_time: end } = objectOf(record['timing']);
    const time = timeOf(end) ?? timeOf(start);
    if (isTask(record))
      return { type: 'task', messages: [{ role: 'user', text: textOf(record['task']) ?? '' }] };
    if (isPlan(record))
      return {
        type: 'plan',
        time,
        messages: [{ role: 'assistant', text: textOf(record['plan']), calls: [] }],
      };
    return { type: 'step', time, messages: withUsage(messagesOf(record), usageOf(record['token_usage'])) };
  },
});

function isAction(record: JsonObject): boolean {
  return 'step_number' in record && isObject(record['timing']) && 'tool_calls' in record;
}

function isTask(record: JsonObject): boolean {
  return typeof record['task'] === 'string' && 'task_images' in record;
}

function isPlan(record: JsonObject): boolean {
  return typeof record['plan'] === 'string' && isObject(record['timing']) && 'model_output_message' in record;
}

function messagesOf(step: JsonObject): Message[] {
  const { model_output: output, tool_calls: calls, error, observations, action_output: answer } = step;
  const messages = [
    ...readMessage({ role: 'assistant', content: joinedText(output), tool_calls: listOf(calls) }),
  ];
  const [response] = messages;
  if (response?.role !== 'assistant' || response.calls.length === 0) return messages;
  const isError = isObject(error) ? true : undefined;
  const result = objectOf(error)['message'] ?? observations ?? answer ?? '';
  return [...messages, { role: 'tool', results: response.calls.map(({ id }) => ({ id, result, isError })) }];
}

function usageOf(value: unknown) {
  if (!isObject(value)) return undefined;
  return { inputTokens: numberOf(value['input_tokens']), outputTokens: numberOf(value['output_tokens']) };
}
