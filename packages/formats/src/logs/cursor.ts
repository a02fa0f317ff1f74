import { sdkKeys } from '../agents/claude-code.ts';
import { withHookInputs } from '../agents/hook-input.ts';
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
import type { Message } from '../record/message.ts';
import { readMessage } from '../wire/messages.ts';
import { plainResult } from '../wire/result.ts';
import { messageLog } from './message-log.ts';

const streamTypes = new Set(['system', 'user', 'assistant', 'thinking', 'tool_call', 'result']);
/** What differs between equal results. */
const durations = new Set(['executionTime', 'localExecutionTimeMs', 'durationMs']);

/**
 * Cursor: transcripts of its agent (`~/.cursor/projects/*` + `/agent-transcripts`), one message per line, without results of
 * tools or times. A transcript ends each turn with a record of the type `turn_ended`. The events of `cursor-agent --output-format
 * stream-json` have results, by https://cursor.com/docs/cli/reference/output-format. Inputs of hooks have both, by
 * https://cursor.com/docs/agent/hooks.
 */
export const cursor = withHookInputs(
  messageLog({
    name: 'cursor',
    title: 'a transcript of Cursor',
    agent: 'cursor',
    keys: ['role', 'message'],
    recognizes: (record) =>
      (record['type'] === undefined && typeof record['role'] === 'string' && hasContent(record)) ||
      record['type'] === 'turn_ended' ||
      isStreamed(record),
    read: (record) => {
      const { type, role, message, subtype } = record;
      if (!isStreamed(record))
        return {
          type: typeof type === 'string' ? type : `message (${nameOf(role)})`,
          messages: isObject(message) ? readMessage({ ...message, role }) : [],
        };
      return {
        type: typeof subtype === 'string' ? `${nameOf(type)} (${subtype})` : nameOf(type),
        sessionId: textOf(record['session_id']),
        time: timeOf(record['timestamp_ms']),
        model: textOf(record['model']),
        messages: messagesOf(record),
      };
    },
  }),
  'cursor',
);

function hasContent({ message }: JsonObject): boolean {
  return isObject(message) && 'content' in message;
}

function isStreamed(record: JsonObject): boolean {
  const type = nameOf(record['type']);
  if (!streamTypes.has(type) || sdkKeys.some((key) => key in record)) return false;
  if (type === 'tool_call') return isObject(record['tool_call']) && 'call_id' in record;
  if (!('session_id' in record) || 'stats' in record) return false;
  return (type !== 'user' && type !== 'assistant') || hasContent(record);
}

function messagesOf(record: JsonObject): readonly Message[] {
  if (record['type'] === 'tool_call') return toolMessages(record);
  // A piece of a message that follows as a whole.
  const isPiece = 'timestamp_ms' in record && !('model_call_id' in record);
  return hasContent(record) && !isPiece ? readMessage(record['message']) : [];
}

/** A call has the tool in the name of its only field: `{readToolCall: {args, result}}`. */
function toolMessages({ subtype, call_id: callId, tool_call: call }: JsonObject): Message[] {
  const id = textOf(callId) ?? null;
  const [field = '', value] = Object.entries(objectOf(call)).find(([, inner]) => isObject(inner)) ?? [];
  const { args, result, name, arguments: given } = objectOf(value);
  if (subtype === 'completed') return [{ role: 'tool', results: [{ id, ...outcomeOf(result) }] }];
  if (subtype !== 'started') return [];
  const { toolName, args: inner, ...own } = objectOf(args);
  const isMcp = field === 'mcpToolCall';
  const callArgs = isMcp ? objectOf(inner) : isObject(args) ? args : (textOf(given) ?? own);
  const tool = (isMcp ? textOf(toolName) : textOf(name)) ?? field.replace(/ToolCall$/, '');
  return [{ role: 'assistant', calls: [{ id, name: tool, args: callArgs }] }];
}

/** A result names its outcome: `{success: {…}}`. */
function outcomeOf(result: unknown): { readonly result: unknown; readonly isError: boolean | undefined } {
  const [outcome, value] = Object.entries(objectOf(result))[0] ?? ['success', result ?? ''];
  const kept = keptOf(value);
  const { isError, exitCode } = objectOf(value);
  const hasFailed = outcome !== 'success' || isError === true || (numberOf(exitCode) ?? 0) !== 0;
  return { result: kept, isError: hasFailed ? true : undefined };
}

/** The texts of an MCP result, and any other without its durations. */
function keptOf(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { content } = value;
  if (Array.isArray(content))
    return plainResult(listOf(content).map((part) => objectOf(part)['text'] ?? part));
  return Object.fromEntries(Object.entries(value).filter(([key]) => !durations.has(key)));
}
