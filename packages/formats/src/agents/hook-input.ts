import { ignored, type Reading, reading, type SessionEvent, type Stamp } from '../record/format.ts';
import { type JsonObject, joinedText, nameOf, objectOf, textOf, timeOf } from '../record/json.ts';

export type HookAgent = 'claude-code' | 'codex' | 'gemini-cli';

const geminiEvents = /^(?:Before|After)(?:Agent|Model|Tool|ToolSelection)$|^PreCompress$/;

/** The agent that called the hook. Gemini CLI has its own event names; Codex sends a turn id, Claude Code does not. */
export function hookAgentOf(record: JsonObject): HookAgent | undefined {
  const type = record['hook_event_name'];
  if (typeof type !== 'string' || typeof record['session_id'] !== 'string') return undefined;
  if (geminiEvents.test(type)) return 'gemini-cli';
  return 'turn_id' in record ? 'codex' : 'claude-code';
}

/** When a hook is called, by the event names of the agents. */
const moments: Readonly<Record<string, 'prompt' | 'call' | 'result' | 'failure' | 'end'>> = {
  UserPromptSubmit: 'prompt',
  BeforeAgent: 'prompt',
  PreToolUse: 'call',
  BeforeTool: 'call',
  PostToolUse: 'result',
  AfterTool: 'result',
  PostToolUseFailure: 'failure',
  SessionEnd: 'end',
};

/**
 * Reads a logged hook input. Agents send a call before it runs, and again with its result; both have the same call id if
 * there is one.
 */
export function readHookInput(record: JsonObject, agent: HookAgent): Reading {
  const type = nameOf(record['hook_event_name']);
  const moment = moments[type];
  const stamp: Stamp = {
    ...hookSession(record),
    time: timeOf(record['timestamp']),
    agent,
    model: textOf(record['model']),
  };
  const text = textOf(record['prompt']);
  if (moment === 'prompt' && text !== undefined) return reading([{ ...stamp, type: 'prompt_started', text }]);
  if (moment === 'end') return reading([{ ...stamp, type: 'session_ended' }]);
  const name = textOf(record['tool_name']);
  if (name === undefined || moment === undefined || moment === 'prompt') return ignored(type);
  const callId = textOf(record['tool_use_id']);
  const id = (part: string) => (callId === undefined ? undefined : `${part}:${callId}`);
  const args = { ...objectOf(record['tool_input']) };
  const call: SessionEvent = { ...stamp, id: id('call'), type: 'tool_call_request', callId, name, args };
  if (moment === 'call') return reading([call]);
  // Without an id, the call cannot be deduplicated, and was reported before it ran.
  const before = callId === undefined ? [] : [call];
  const { result, isError } = outcomeOf(record, moment === 'failure');
  return reading([...before, { ...stamp, id: id('result'), type: 'tool_result', callId, result, isError }]);
}

/** The session of a hook input; a sub-agent has a session of its own. */
export function hookSession(
  record: JsonObject,
): Pick<Stamp, 'parentSessionId'> & { readonly sessionId: string } {
  const session = nameOf(record['session_id']);
  const subAgent = textOf(record['agent_id']);
  return subAgent === undefined
    ? { sessionId: session, parentSessionId: undefined }
    : { sessionId: `${session}/${subAgent}`, parentSessionId: session };
}

/** The outcome of a call. Gemini CLI separates the text for the model from the error. */
function outcomeOf(record: JsonObject, hasFailed: boolean): { result: unknown; isError: true | undefined } {
  const response = record['tool_response'];
  const { llmContent, error } = objectOf(response);
  const message = textOf(error) ?? textOf(objectOf(error)['message']);
  if (llmContent !== undefined || (message !== undefined && response !== undefined)) {
    const text = message ?? joinedText(llmContent);
    return { result: text === '' ? llmContent : text, isError: message === undefined ? undefined : true };
  }
  return { result: response ?? record['error'] ?? '', isError: hasFailed ? true : undefined };
}
