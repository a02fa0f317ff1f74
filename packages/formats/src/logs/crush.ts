import { isObject, type JsonObject, listOf, nameOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { readMessage } from '../wire/messages.ts';
import { asHarness, messageLog } from './message-log.ts';

/** Crush: rows of its database (`.crush/crush.db`). Source: charmbracelet/crush `internal/message/content.go`. */
export const crush = messageLog({
  name: 'crush',
  title: 'a Crush session',
  agent: 'crush',
  keys: ['session_id', 'role', 'parts', 'model', 'provider', 'created_at', 'is_summary_message'],
  recognizes: ({ role, parts }) =>
    typeof role === 'string' &&
    listOf(parts).some((part) => isObject(part) && isObject(part['data']) && 'type' in part),
  read: (record) => {
    const role = nameOf(record['role']);
    const content = listOf(record['parts']).flatMap((part) => blockOf(objectOf(part)));
    const isEmpty = role === 'user' && content.length === 0;
    const messages = isEmpty ? [] : readMessage({ role, content });
    return {
      type: `message (${role})`,
      sessionId: textOf(record['session_id']),
      parentSessionId: textOf(record['parent_session_id']),
      id: textOf(record['id']),
      time: timeOf(record['created_at']),
      model: textOf(record['model']),
      messages: Boolean(record['is_summary_message']) ? asHarness(messages) : messages,
    };
  },
});

function blockOf({ type, data }: JsonObject): JsonObject[] {
  const part = objectOf(data);
  switch (type) {
    case 'text':
      return [{ type, text: part['text'] }];
    case 'reasoning':
      return [{ type: 'thinking', thinking: part['thinking'] }];
    case 'tool_call':
      return [{ type: 'tool_use', id: part['id'], name: part['name'], input: part['input'] }];
    case 'tool_result':
      return [
        {
          type,
          tool_use_id: part['tool_call_id'],
          content: part['content'],
          is_error: part['is_error'] === true ? true : undefined,
        },
      ];
    default:
      return [];
  }
}
