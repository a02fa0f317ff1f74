import { type JsonObject, listOf, nameOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { readMessage } from '../wire/messages.ts';
import { messageLog, usageBy, withUsage } from './message-log.ts';

const usageNames = { input: 'prompt_tokens', output: 'completion_tokens', read: '', write: '' };

/**
 * AutoGen: messages and events of AgentChat, one per line, and the result of a task, which lists them. Source:
 * `autogen_agentchat/messages.py` 0.7.
 */
export const autogen = messageLog({
  name: 'autogen',
  title: 'an AutoGen message',
  keys: ['source', 'models_usage', 'content', 'type', 'stop_reason'],
  recognizes: (record) => isMessage(record) || isResult(record),
  recordsIn: (record) => (isResult(record) ? listOf(record['messages']).map(objectOf) : undefined),
  read: (record) => {
    const type = textOf(record['type']) ?? 'message';
    const source = textOf(record['source']);
    const messages = readMessage(messageOf(type, record));
    return {
      type,
      id: textOf(record['id']),
      time: timeOf(record['created_at']),
      agent: source === 'user' ? undefined : source,
      messages: withUsage(messages, usageBy(record['models_usage'], usageNames)),
    };
  },
});

function isMessage(record: JsonObject): boolean {
  return (
    /^[A-Z]\w*(?:Message|Event)$/.test(nameOf(record['type'])) &&
    'source' in record &&
    ('models_usage' in record || 'metadata' in record) &&
    'content' in record
  );
}

function isResult(record: JsonObject): boolean {
  return (
    'stop_reason' in record && listOf(record['messages']).some((message) => isMessage(objectOf(message)))
  );
}

function messageOf(type: string, { source, content }: JsonObject): JsonObject {
  switch (type) {
    case 'ToolCallRequestEvent':
      return { role: 'assistant', tool_calls: content };
    case 'ToolCallExecutionEvent':
      return { role: 'user', content: listOf(content).map((result) => blockOf(objectOf(result))) };
    case 'ThoughtEvent':
      return { role: 'assistant', content: [{ type: 'thinking', thinking: content }] };
    case 'TextMessage':
    case 'MultiModalMessage':
    case 'HandoffMessage':
      return {
        role: source === 'user' ? 'user' : 'assistant',
        content: Array.isArray(content)
          ? content.filter((part) => typeof part === 'string').join('\n')
          : content,
      };
    default:
      return {};
  }
}

function blockOf({ content, call_id: id, is_error: isError }: JsonObject): JsonObject {
  return { type: 'tool_result', tool_use_id: id, content, is_error: isError };
}
