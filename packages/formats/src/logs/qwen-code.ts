import { nameOf, objectOf, textOf, timeOf } from '../record/json.ts';
import { placeTags } from '../record/place-tags.ts';
import { geminiUsage } from '../wire/gemini.ts';
import { readMessage } from '../wire/messages.ts';
import { asHarness, messageLog, withUsage } from './message-log.ts';

/** Kinds of prompts that the user has written. */
const written = new Set([undefined, 'mid_turn_user_message', 'slash_command', 'at_command']);

/**
 * Qwen Code: sessions since version 0.6 (`~/.qwen/projects/*` + `/chats/*.jsonl`), with Gemini's content in each record. Forked
 * sessions copy earlier records with their `uuid`. Source: QwenLM/qwen-code `packages/core/src/services/chatRecordingService.ts`.
 */
export const qwenCode = messageLog({
  name: 'qwen-code',
  title: 'a Qwen Code session',
  agent: 'qwen-code',
  hasCopies: true,
  keys: ['uuid', 'parentUuid', 'sessionId', 'cwd', 'usageMetadata', 'toolCallResult', 'systemPayload'],
  recognizes: (record) =>
    'uuid' in record &&
    'sessionId' in record &&
    (record['type'] === 'system'
      ? 'systemPayload' in record
      : Array.isArray(objectOf(record['message'])['parts'])),
  read: (record) => {
    const type = nameOf(record['type']);
    const subtype = textOf(record['subtype']);
    const { status } = objectOf(record['toolCallResult']);
    const isFailed = status === 'error' || status === 'cancelled';
    const messages =
      type === 'system'
        ? []
        : withUsage(readMessage(record['message']), geminiUsage(record['usageMetadata']));
    const isWritten = written.has(subtype) && record['provenance'] !== 'system';
    return {
      type: subtype === undefined ? type : `${type} (${subtype})`,
      id: textOf(record['uuid']),
      sessionId: textOf(record['sessionId']),
      subAgent: textOf(record['agentId']),
      time: timeOf(record['timestamp']),
      model: textOf(record['model']),
      agentVersion: textOf(record['version']),
      tags: placeTags(record['cwd'], record['gitBranch']),
      messages: (isWritten ? messages : asHarness(messages)).map((message) =>
        message.role === 'tool' && isFailed
          ? { ...message, results: message.results.map((result) => ({ ...result, isError: true })) }
          : message,
      ),
    };
  },
});
