import { ignored, type Reading, reading, type Stamp } from '../record/format.ts';
import type { JsonObject } from '../record/json.ts';
import { nameOf, numberOf, objectOf, textOf, unwrapped } from '../record/json.ts';
import { keyOf } from '../record/known-calls.ts';
import type { Usage } from '../record/message.ts';
import type { Signal } from '../record/signal.ts';
import type { TelemetryMemory } from '../record/telemetry-memory.ts';
import { textId } from '../record/text-id.ts';
import { firstNumber, sessionOf } from './span-facts.ts';

/**
 * Reads log events of the coding agents Claude Code, Codex and Gemini CLI. Of results, they contain those of Codex and the errors
 * of the others, and arguments only if detailed logging is enabled. A call without them differs from every other.
 *
 * @param memory of the calls that other records have
 */
export function readAgentLog(log: Signal, session: string | undefined, memory?: TelemetryMemory): Reading {
  const { name, attributes: a, resource } = log;
  const [agent = '', event = ''] = name.split(/\.(.*)/s, 2);
  const sessionId = sessionOf(log) ?? session;
  if (sessionId === undefined) return ignored(`${name} without a session`);
  const stamp: Stamp = {
    sessionId,
    time: log.start,
    agent: agent.replaceAll('_', '-'),
    agentVersion: textOf(resource['service.version']) ?? textOf(a['app.version']),
    model: textOf(a['model']),
  };
  // A record that is sent twice gets the same id.
  const id = textId(JSON.stringify([name, log.start, a]));
  switch (event) {
    case 'user_prompt': {
      const text = textOf(a['prompt']);
      const known = text === undefined || isRedacted.test(text) ? undefined : text;
      return reading([{ ...stamp, id, type: 'prompt_started', text: known }]);
    }
    case 'tool_result':
    case 'tool_call':
      return readCall(log, stamp, id, memory);
    case 'api_request':
    case 'api_response':
    case 'sse_event': {
      const usage = usageOf(a, agent);
      if (usage === undefined) return ignored(name);
      // The span of the request has the same id.
      const turn = textOf(a['request_id']) ?? id;
      const end = { ...stamp, id: `${turn}.end`, usage, costUsd: numberOf(a['cost_usd']) };
      return reading([
        { ...stamp, id: `${turn}.turn`, type: 'turn_started' },
        { ...end, type: 'turn_finished' },
      ]);
    }
    case 'assistant_response': {
      const text = textOf(a['response']);
      const known = text === undefined || isRedacted.test(text) ? undefined : text;
      return known === undefined ? ignored(name) : reading([{ ...stamp, id, type: 'content', text: known }]);
    }
    default:
      return ignored(name);
  }
}

const isRedacted = /^(?:<REDACTED>|\[REDACTED\])$/;

function readCall(
  { name: event, attributes: a }: Signal,
  stamp: Stamp,
  id: string,
  memory?: TelemetryMemory,
): Reading {
  const parameters = objectOf(unwrapped(a['tool_parameters']));
  const { mcp_server_name: server, mcp_tool_name: tool } = parameters;
  const isOfMcp = typeof server === 'string' && typeof tool === 'string';
  const name = isOfMcp ? `mcp__${server}__${tool}` : (textOf(a['tool_name']) ?? textOf(a['function_name']));
  if (name === undefined) return ignored(`${event} without a name`);
  const args = ['tool_input', ...(isOfMcp ? [] : ['tool_parameters']), 'arguments', 'function_args']
    .map((key) => textOf(a[key]))
    .find((text) => text !== undefined);
  // Without an id, it may be a call in the messages of a model.
  const known = () => memory?.callsOf(stamp.sessionId).ofSpan({ id }, undefined, name, args && keyOf(args));
  const callId = textOf(a['call_id']) ?? textOf(a['tool_use_id']) ?? known() ?? id;
  const own = args === undefined ? { argsHash: callId } : { args };
  const call = { ...stamp, id: `call:${callId}`, type: 'tool_call_request', callId, name, ...own } as const;
  // Gemini CLI has a boolean.
  const hasFailed = nameOf(a['success']) === 'false';
  const error = hasFailed ? (textOf(a['error']) ?? textOf(a['error.message'])) : undefined;
  const outcome = error ?? textOf(a['output']);
  if (outcome === undefined) return reading([call]);
  const result = {
    type: 'tool_result',
    callId,
    result: outcome,
    isError: hasFailed ? true : undefined,
  } as const;
  return reading([call, { ...stamp, id: `result:${callId}`, ...result }]);
}

/** Claude Code's input excludes cached tokens; the input of the others includes them. */
function usageOf(a: JsonObject, agent: string): Usage | undefined {
  const input = firstNumber(a, 'input_tokens', 'input_token_count');
  const output = firstNumber(a, 'output_tokens', 'output_token_count');
  if (input === undefined && output === undefined) return undefined;
  const cached = firstNumber(a, 'cache_read_tokens', 'cached_token_count', 'cached_content_token_count');
  const written = firstNumber(a, 'cache_creation_tokens');
  const uncounted = agent === 'claude_code' ? (cached ?? 0) + (written ?? 0) : 0;
  return {
    inputTokens: (input ?? 0) + uncounted,
    outputTokens: output ?? 0,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: firstNumber(a, 'reasoning_token_count', 'thoughts_token_count'),
  };
}
