import { isObject, type JsonObject, listOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { readMessage } from '../wire/messages.ts';
import { asHarness, messageLog } from './message-log.ts';

/**
 * goose: rows of its database (`sessions/sessions.db`), `goose session export`, and the JSON lines of versions before 1.10. Source: block/goose
 * `crates/goose/src/session/session_manager.rs` and `conversation/message.rs`.
 */
export const goose = messageLog({
  name: 'goose',
  title: 'a goose session',
  agent: 'goose',
  keys: ['role', 'created', 'content', 'working_dir', 'message_count', 'metadata'],
  recognizes: (record) =>
    ('working_dir' in record && 'message_count' in record) ||
    (typeof record['created'] === 'number' &&
      Array.isArray(record['content']) &&
      (record['role'] === 'user' || record['role'] === 'assistant')),
  recordsIn: (record) => {
    const { conversation, id } = record;
    if (!Array.isArray(conversation)) return undefined;
    return conversation.map((message) => ({ ...objectOf(message), session_id: id }));
  },
  read: (record) => {
    const role = textOf(record['role']);
    const content = listOf(record['content']).map((part) => blockOf(objectOf(part)));
    const messages = role === undefined ? [] : readMessage({ role, content });
    const isHidden = objectOf(record['metadata'])['userVisible'] === false;
    return {
      type: role === undefined ? 'session' : `message (${role})`,
      sessionId: textOf(record['session_id']),
      time: timeOf(record['created']),
      messages: isHidden ? asHarness(messages) : messages,
    };
  },
});

/** A request or response of a tool in the form of Anthropic's blocks, which goose otherwise uses. */
function blockOf(part: JsonObject): JsonObject {
  const { type, id } = part;
  if (type === 'toolRequest' || type === 'frontendToolRequest') {
    const { value, error } = objectOf(part['toolCall']);
    const { name, arguments: input } = objectOf(value);
    // A malformed call has an error instead.
    return { type: 'tool_use', id, name: name ?? 'malformed call', input: input ?? { error } };
  }
  if (type !== 'toolResponse') return part;
  const { status, value, error } = objectOf(part['toolResult']);
  const { content, isError, structuredContent } = objectOf(value);
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: error ?? (isObject(value) ? (content ?? structuredContent) : value),
    is_error: status === 'error' || isError === true ? true : undefined,
  };
}
