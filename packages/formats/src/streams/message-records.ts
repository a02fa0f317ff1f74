import { isObject, type JsonObject, listOf, nameOf, objectOf } from '../record/json.ts';
import { messageListIn } from '../wire/exchanges.ts';
import { isLangChainMessage } from '../wire/messages.ts';
import { isCommandTrajectory } from './shell-commands.ts';

/** Whether a record holds messages, and is of no other format. */
export function isMessageRecord(record: JsonObject): boolean {
  if (isOwn(record)) return true;
  if (foreignKeys.some((key) => key in record)) return false;
  return (
    isSingle(record) ||
    isStored(record) ||
    messageListIn(record) !== undefined ||
    updatesIn(record) !== undefined
  );
}

/** Keys of other producers whose records also contain lists of messages, or a role. */
const foreignKeys = [
  'type',
  'info',
  'sessionId',
  'sessionID',
  'projectHash',
  'call_type',
  'run_type',
  'traceId',
  'event',
  'specversion',
  'resourceSpans',
  'attributes',
  'object',
  'v',
  'stop_reason',
];
/** Keys of other producers whose records are one message each. */
const foreignSingles = ['created', 'uuid', 'message', 'time'];

/** Roles of a message, and of the records that Kimi CLI adds to them. */
const roles = /^(?:system|developer|user|human|assistant|ai|model|tool|function|_\w+)$/;

function isSingle(record: JsonObject): boolean {
  return (
    !foreignSingles.some((key) => key in record) &&
    roles.test(nameOf(record['role'])) &&
    (typeof record['content'] === 'string' ||
      Array.isArray(record['content']) ||
      Array.isArray(record['tool_calls']) ||
      nameOf(record['role']).startsWith('_'))
  );
}

/** Events of `autogen_core.logging`. */
const coreEvents =
  /^(?:LLMCall|LLMStreamStart|LLMStreamEnd|ToolCall|MessageDropped|MessageHandlerException)$/;

/** Whether it is a record of a known producer, which may hold no messages. */
export function isOwn(record: JsonObject): boolean {
  const { type, op_name: weaveOp, run_id: runId, attempt } = record;
  return (
    (isCommandTrajectory(record) && messageListIn(record) !== undefined) ||
    isLangChainMessage(record) ||
    isOllama(record) ||
    ('agent_id' in record && coreEvents.test(nameOf(type))) ||
    (typeof weaveOp === 'string' && 'inputs' in record) ||
    // The first event of a run of LangGraph's server.
    (runId !== undefined && attempt !== undefined && Object.keys(record).length === 2)
  );
}

/** Whether it is a response of Ollama, whole or a piece of one. */
export function isOllama({ message, done, model }: JsonObject): boolean {
  return (
    isObject(message) &&
    message['role'] === 'assistant' &&
    typeof done === 'boolean' &&
    typeof model === 'string'
  );
}

/** The messages in an update of a LangGraph stream, by the nodes that add them. */
export function updatesIn(record: JsonObject): readonly unknown[] | undefined {
  const nodes = Object.values(record);
  if (!nodes.every((node) => typeof node === 'object')) return undefined;
  const found = nodes.flatMap((node) => listOf(objectOf(node)['messages']));
  return found.some((message) => isLangChainMessage(message) || isObject(objectOf(message)['kwargs']))
    ? found
    : undefined;
}

/** Whether it is a message in a session of Strands. Source: `strands/types/session.py`. */
export function isStored(record: JsonObject): boolean {
  return 'message_id' in record && isSingle(objectOf(record['message']));
}
