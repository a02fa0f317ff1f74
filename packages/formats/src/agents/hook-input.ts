import {
  type Format,
  ignored,
  type Reading,
  reading,
  type SessionEvent,
  type Stamp,
} from '../record/format.ts';
import { isObject, type JsonObject, joinedText, listOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { placeTags } from '../record/place-tags.ts';

export type HookAgent = 'claude-code' | 'codex' | 'gemini-cli' | 'copilot-cli' | 'cursor' | 'opencode';

const geminiEvents = /^(?:Before|After)(?:Agent|Model|Tool|ToolSelection)$|^PreCompress$/;

/**
 * The agent that called the hook. Gemini CLI has its own event names, and Cursor its own ids; Codex sends a turn id. Copilot
 * sends a time, which Claude Code does not.
 */
export function hookAgentOf(record: JsonObject): HookAgent | undefined {
  const type = hookEventOf(record);
  if (type === '' || hookSession(record).sessionId === '') return undefined;
  if ('conversation_id' in record) return 'cursor';
  if (geminiEvents.test(type)) return 'gemini-cli';
  if ('turn_id' in record) return 'codex';
  return 'timestamp' in record && !('permission_mode' in record) ? 'copilot-cli' : 'claude-code';
}

/** When a hook is called, by the event names of the agents; Cursor's start with a small letter. */
const moments: Readonly<Record<string, 'prompt' | 'call' | 'result' | 'failure' | 'end'>> = {
  UserPromptSubmit: 'prompt',
  BeforeAgent: 'prompt',
  BeforeSubmitPrompt: 'prompt',
  PreToolUse: 'call',
  BeforeTool: 'call',
  PostToolUse: 'result',
  AfterTool: 'result',
  PostToolUseFailure: 'failure',
  SessionEnd: 'end',
};

/** The event that called the hook; empty if the record does not say. */
export function hookEventOf(record: JsonObject): string {
  // Visual Studio Code's own agent writes these two names in camel case.
  return textOf(record['hook_event_name']) ?? textOf(record['hookEventName']) ?? '';
}

/**
 * Reads a logged hook input. Agents send a call before it runs, and again with its result; both have the same call id if
 * there is one.
 */
export function readHookInput(record: JsonObject, agent: HookAgent): Reading {
  const type = hookEventOf(record);
  const moment = moments[type.charAt(0).toUpperCase() + type.slice(1)];
  const stamp: Stamp = {
    ...hookSession(record),
    time: timeOf(record['timestamp']),
    agent,
    model: textOf(record['model']),
    tags: placeTags(record['cwd'] ?? listOf(record['workspace_roots'])[0]),
  };
  const text = textOf(record['prompt']);
  if (moment === 'prompt' && text !== undefined)
    return reading([{ ...stamp, type: 'prompt_started', text, origin: 'user' }]);
  if (moment === 'end') return reading([{ ...stamp, type: 'session_ended' }]);
  const name = textOf(record['tool_name']);
  if (name === undefined || moment === undefined || moment === 'prompt') return ignored(type);
  const callId = textOf(record['tool_use_id']);
  const id = (part: string) => (callId === undefined ? undefined : `${part}:${callId}`);
  const input = record['tool_input'];
  const args = textOf(input) ?? { ...objectOf(input) };
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
  const ids = [record['conversation_id'], record['session_id'], record['sessionId']];
  const session = ids.map(textOf).find((id) => id !== undefined) ?? '';
  const subAgent = textOf(record['agent_id']);
  return subAgent === undefined
    ? { sessionId: session, parentSessionId: undefined }
    : { sessionId: `${session}/${subAgent}`, parentSessionId: session };
}

/** A format that reads the hook inputs of its agent too. */
export function withHookInputs(format: Format, agent: HookAgent): Format {
  const isHook = (record: JsonObject) => hookAgentOf(record) === agent;
  return {
    ...format,
    recognizes: (record) => isHook(record) || format.recognizes(record),
    createReader: (session, memory) => {
      const reader = format.createReader(session, memory);
      return {
        read: (record) => (isHook(record) ? readHookInput(record, agent) : reader.read(record)),
        end: () => reader.end(),
      };
    },
  };
}

/** The outcome of a call. Gemini CLI separates the text for the model from the error, Copilot from the kind of result. */
function outcomeOf(record: JsonObject, hasFailed: boolean): { result: unknown; isError: true | undefined } {
  const response = record['tool_response'] ?? record['tool_output'];
  const { llmContent, error } = objectOf(response);
  const message = textOf(error) ?? textOf(objectOf(error)['message']);
  if (llmContent !== undefined || (message !== undefined && response !== undefined)) {
    const text = message ?? joinedText(llmContent);
    return { result: text === '' ? llmContent : text, isError: message === undefined ? undefined : true };
  }
  const { result_type: kind, text_result_for_llm: text } = objectOf(record['tool_result']);
  const failed = hasFailed || (kind !== undefined && kind !== 'success');
  const reason = record['error'] ?? record['error_message'];
  const failure = isObject(reason) ? (reason['message'] ?? reason) : reason;
  return { result: response ?? text ?? failure ?? '', isError: failed ? true : undefined };
}
