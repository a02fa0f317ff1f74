import { type JsonObject, listOf, nameOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { textId } from '../record/text-id.ts';
import { readMessage } from '../wire/messages.ts';
import { messageLog, usageBy, withUsage } from './message-log.ts';

const usageNames = {
  input: 'input_tokens',
  output: 'output_tokens',
  read: 'cache_read_tokens',
  write: 'cache_write_tokens',
};

/**
 * Pydantic AI: messages of a run (`all_messages_json()`). A later run repeats those of the earlier ones. Source:
 * `pydantic_ai/messages.py` 2.
 */
export const pydanticAi = messageLog({
  name: 'pydantic-ai',
  title: 'a Pydantic AI message',
  keys: [
    'parts',
    'kind',
    'instructions',
    'run_id',
    'conversation_id',
    'model_name',
    'usage',
    'provider_name',
  ],
  recognizes: ({ kind, parts }) =>
    (kind === 'request' || kind === 'response') &&
    listOf(parts).every((part) => 'part_kind' in objectOf(part)),
  read: (record) => {
    const content = listOf(record['parts']).flatMap((part) => blockOf(objectOf(part)));
    const isRequest = record['kind'] === 'request';
    const messages =
      content.length === 0 ? [] : readMessage({ role: isRequest ? 'user' : 'assistant', content });
    const usage = objectOf(record['usage']);
    return {
      type: nameOf(record['kind']),
      sessionId: textOf(record['conversation_id']),
      id: textId(JSON.stringify(record)),
      time: timeOf(record['timestamp']) ?? timeOf(objectOf(listOf(record['parts'])[0])['timestamp']),
      model: textOf(record['model_name']),
      messages: isRequest ? messages : withUsage(messages, inclusive(usage)),
    };
  },
});

/** The input of Pydantic AI's usage includes cached tokens. */
function inclusive(usage: JsonObject) {
  const counted = usageBy(usage, usageNames);
  const input = usageBy(usage, { ...usageNames, read: '', write: '' });
  return counted && { ...counted, inputTokens: input?.inputTokens };
}

function blockOf(part: JsonObject): JsonObject[] {
  const { content, tool_call_id: id, tool_name: name, outcome } = part;
  switch (part['part_kind']) {
    case 'user-prompt':
      return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(textBlock);
    case 'text':
      return [{ type: 'text', text: content }];
    case 'thinking':
      return [{ type: 'thinking', thinking: content }];
    case 'tool-call':
    case 'builtin-tool-call':
      return [{ type: 'tool_use', id, name, input: part['args'] }];
    case 'tool-return':
    case 'builtin-tool-return': {
      const isFailed = outcome !== undefined && outcome !== 'success';
      return [{ type: 'tool_result', tool_use_id: id, content, is_error: isFailed ? true : undefined }];
    }
    case 'retry-prompt':
      return name === undefined || name === null
        ? [{ type: 'text', text: typeof content === 'string' ? content : JSON.stringify(content) }]
        : [{ type: 'tool_result', tool_use_id: id, content, is_error: true }];
    default:
      return [];
  }
}

function textBlock(part: unknown): JsonObject {
  return { type: 'text', text: typeof part === 'string' ? part : objectOf(part)['content'] };
}
