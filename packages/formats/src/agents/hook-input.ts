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
import { grokResult } from '../wire/grok-result.ts';

export type HookAgent =
  | 'claude-code'
  | 'codex'
  | 'gemini-cli'
  | 'copilot-cli'
  | 'cursor'
  | 'opencode'
  | 'pi'
  | 'kimi-code'
  | 'grok'
  | 'hermes';

const geminiEvents = /^(?:Before|After)(?:Agent|Model|Tool|ToolSelection)$|^PreCompress$/;
const hermesEvents = /^(?:pre|post|on)_[a-z]+_[a-z]+$/;

/**
 * The agent that called the hook. Gemini CLI and Hermes have their own event names, and Cursor its own ids; Kimi Code names its
 * client, and Grok Build its workspace; Codex sends a turn id. Copilot sends a time, which Claude Code does not.
 */
export function hookAgentOf(record: JsonObject): HookAgent | undefined {
  const type = hookEventOf(record);
  if (type === '' || hookSession(record).sessionId === '') return undefined;
  if ('conversation_id' in record) return 'cursor';
  if ('client_type' in record) return 'kimi-code';
  if ('workspaceRoot' in record) return 'grok';
  if (geminiEvents.test(type)) return 'gemini-cli';
  if (hermesEvents.test(type)) return 'hermes';
  if ('turn_id' in record) return 'codex';
  return 'timestamp' in record && !('permission_mode' in record) ? 'copilot-cli' : 'claude-code';
}

/** When a hook is called, by the event names of the agents, in small letters; Hermes puts `_` between their words. */
const moments: Readonly<Record<string, 'prompt' | 'call' | 'result' | 'failure' | 'end'>> = {
  userpromptsubmit: 'prompt',
  beforeagent: 'prompt',
  beforesubmitprompt: 'prompt',
  turnstarted: 'prompt',
  prellmcall: 'prompt',
  pretooluse: 'call',
  beforetool: 'call',
  pretoolcall: 'call',
  posttooluse: 'result',
  aftertool: 'result',
  posttoolcall: 'result',
  posttoolusefailure: 'failure',
  sessionend: 'end',
  onsessionfinalize: 'end',
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
  const moment = moments[type.replaceAll('_', '').toLowerCase()];
  const extra = objectOf(record['extra']);
  const stamp: Stamp = {
    ...hookSession(record),
    time: timeOf(record['timestamp']),
    agent,
    model: textOf(record['model']) ?? textOf(extra['model']),
    tags: placeTags(record['cwd'] ?? listOf(record['workspace_roots'])[0]),
  };
  // Kimi Code also tells of the turns of its sub-agents, and of those that it begins itself.
  const isOwn = (record['origin_kind'] ?? 'user') !== 'user';
  const text = isOwn ? undefined : (textOf(record['prompt']) ?? textOf(extra['user_message']));
  if (moment === 'prompt' && text !== undefined)
    return reading([{ ...stamp, type: 'prompt_started', text, origin: 'user' }]);
  if (moment === 'end') return reading([{ ...stamp, type: 'session_ended' }]);
  const name = textOf(record['tool_name']);
  if (name === undefined || moment === undefined || moment === 'prompt') return ignored(type);
  const callId = textOf(record['tool_use_id'] ?? record['tool_call_id'] ?? extra['tool_call_id']);
  const id = (part: string) => (callId === undefined ? undefined : `${part}:${callId}`);
  const input = record['tool_input'] ?? {};
  const args = textOf(input) ?? (isObject(input) ? { ...input } : JSON.stringify(input));
  const call: SessionEvent = { ...stamp, id: id('call'), type: 'tool_call_request', callId, name, args };
  if (moment === 'call') return reading([call]);
  // Without an id, the call cannot be deduplicated, and was reported before it ran.
  const before = callId === undefined ? [] : [call];
  const { result, isError } = outcomeOf(record, agent, moment === 'failure');
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
function outcomeOf(
  record: JsonObject,
  agent: HookAgent,
  isFailure: boolean,
): { result: unknown; isError: true | undefined } {
  const extra = objectOf(record['extra']);
  const hasFailed = isFailure || extra['status'] === 'error';
  const output = record['tool_response'] ?? record['tool_output'] ?? extra['result'];
  const response = agent === 'grok' ? grokResult(output) : output;
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
