import {
  isObject,
  type JsonObject,
  joinedText,
  listOf,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  timeOf,
} from '../record/json.ts';
import type { Message, ToolCall } from '../record/message.ts';
import { plainResult } from '../wire/result.ts';
import { costOf, messageLog } from './message-log.ts';

/**
 * Trajectories in the Agent Trajectory Interchange Format, as Harbor and Terminal-Bench write them (`trajectory.json`): one
 * document with the steps of a run. Source: the RFC of ATIF 1.6 in harbor-framework/harbor.
 */
export const atif = messageLog({
  name: 'atif',
  title: 'a trajectory in the ATIF format',
  keys: ['schema_version', 'session_id', 'trajectory_id', 'agent', 'steps', 'final_metrics', 'notes'],
  recognizes: (record) =>
    nameOf(record['schema_version']).startsWith('ATIF') && Array.isArray(record['steps']),
  recordsIn: (record) => {
    if (!Array.isArray(record['steps'])) return undefined;
    const { session_id: session, agent } = record;
    return record['steps'].map((step) => ({ ...objectOf(step), session_id: session, agent }));
  },
  read: (record) => {
    const source = nameOf(record['source']);
    const { name, version, model_name: model } = objectOf(record['agent']);
    return {
      type: `step (${source})`,
      sessionId: textOf(record['session_id']),
      time: timeOf(record['timestamp']),
      agent: textOf(name),
      agentVersion: textOf(version),
      model: textOf(record['model_name']) ?? textOf(model),
      messages: messagesOf(source, record),
    };
  },
});

function messagesOf(source: string, step: JsonObject): Message[] {
  const text = joinedText(step['message']);
  if (source === 'user') return [{ role: 'user', text }];
  if (source !== 'agent') return [];
  const calls = listOf(step['tool_calls']).map((call) => callOf(objectOf(call)));
  const results = listOf(objectOf(step['observation'])['results']).map((value, i) => {
    const { source_call_id: id, content } = objectOf(value);
    return { id: textOf(id) ?? calls[i]?.id ?? null, result: plainResult(content) };
  });
  // What the environment shows without a call is no result.
  const outcome: Message[] = calls.length === 0 ? [] : [{ role: 'tool', results }];
  return [
    { role: 'assistant', text, thought: textOf(step['reasoning_content']), calls, ...metricsOf(step) },
    ...outcome,
  ];
}

function callOf({ tool_call_id: id, function_name: name, arguments: args }: JsonObject): ToolCall {
  return {
    id: textOf(id) ?? null,
    name: textOf(name) ?? '',
    args: isObject(args) ? args : (textOf(args) ?? {}),
  };
}

/** The input of its metrics includes cached tokens. */
function metricsOf({ metrics }: JsonObject) {
  if (!isObject(metrics)) return {};
  const usage = {
    inputTokens: numberOf(metrics['prompt_tokens']),
    outputTokens: numberOf(metrics['completion_tokens']),
    cachedInputTokens: numberOf(metrics['cached_tokens']),
  };
  return { usage, costUsd: costOf(metrics['cost_usd']) };
}
