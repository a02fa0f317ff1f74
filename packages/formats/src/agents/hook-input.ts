import { ignored, type Reading, reading, type SessionEvent, type Stamp } from '../record/format.ts';
import { type JsonObject, objectOf, textOf } from '../record/json.ts';

/** Whose hook was called: Codex names the turn, Claude Code does not. */
export function hookAgentOf(record: JsonObject): 'claude-code' | 'codex' | undefined {
  const isInput = typeof record['hook_event_name'] === 'string' && typeof record['session_id'] === 'string';
  if (!isInput) return undefined;
  return 'turn_id' in record ? 'codex' : 'claude-code';
}

/**
 * What an agent gives its hooks, as a log of them holds it: a call before it runs, and again with its result. The
 * call's id tells that both are the same.
 */
export function readHookInput(record: JsonObject, agent: string): Reading {
  const type = String(record['hook_event_name']);
  const session = String(record['session_id']);
  const subAgent = textOf(record['agent_id']);
  const stamp: Stamp = {
    sessionId: subAgent === undefined ? session : `${session}/${subAgent}`,
    parentSessionId: subAgent === undefined ? undefined : session,
    agent,
    model: textOf(record['model']),
  };
  const text = textOf(record['prompt']);
  if (type === 'UserPromptSubmit' && text !== undefined)
    return reading([{ ...stamp, type: 'prompt_started', text }]);
  if (type === 'SessionEnd') return reading([{ ...stamp, type: 'session_ended' }]);
  const name = textOf(record['tool_name']);
  const isAfter = type === 'PostToolUse' || type === 'PostToolUseFailure';
  if (name === undefined || !(isAfter || type === 'PreToolUse')) return ignored(type);
  const callId = textOf(record['tool_use_id']);
  const id = (part: string) => (callId === undefined ? undefined : `${part}:${callId}`);
  const args = { ...objectOf(record['tool_input']) };
  const call: SessionEvent = { ...stamp, id: id('call'), type: 'tool_call_request', callId, name, args };
  if (!isAfter) return reading([call]);
  const isError = type === 'PostToolUseFailure' ? true : undefined;
  const result = record['tool_response'] ?? record['error'] ?? '';
  // Without an id the call was told before it ran.
  const before = callId === undefined ? [] : [call];
  return reading([...before, { ...stamp, id: id('result'), type: 'tool_result', callId, result, isError }]);
}
