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
import { messageLog } from './message-log.ts';

/**
 * GitHub Copilot CLI: the events of a session (`~/.copilot/session-state/*` + `/events.jsonl`). `tool.execution_start` repeats a call
 * of `assistant.message`. Source: `session-events.d.ts` of `@github/copilot-sdk` 1.0. Hook inputs: the CLI's own, and those
 * that https://code.visualstudio.com/docs/agents/reference/hooks-reference describes.
 */
export const copilotCli = withHookInputs(
  messageLog({
    name: 'copilot-cli',
    title: 'a Copilot CLI session',
    agent: 'copilot-cli',
    keys: ['type', 'data', 'id', 'timestamp', 'parentId', 'agentId', 'ephemeral'],
    recognizes: (record) =>
      /^[a-z_]+(?:\.[a-z_]+)*$/.test(nameOf(record['type'])) &&
      isObject(record['data']) &&
      ['id', 'timestamp', 'parentId'].every((key) => key in record),
    read: (record) => {
      const type = nameOf(record['type']);
      const data = objectOf(record['data']);
      return {
        type,
        sessionId: type.startsWith('session.') ? textOf(data['sessionId']) : undefined,
        subAgent: textOf(record['agentId']) ?? textOf(data['parentToolCallId']),
        id: textOf(record['id']),
        time: timeOf(record['timestamp']),
        model: textOf(data['model']) ?? textOf(data['selectedModel']) ?? textOf(data['newModel']),
        agentVersion: textOf(data['copilotVersion']),
        messages: messagesOf(type, data),
      };
    },
  }),
  'copilot-cli',
);

function messagesOf(type: string, data: JsonObject): Message[] {
  const text = textOf(data['content']);
  switch (type) {
    case 'user.message': {
      // Continuations are the agent's own.
      const isOwn = data['isAutopilotContinuation'] === true;
      return text === undefined ? [] : [{ role: 'user', text, origin: isOwn ? 'harness' : undefined }];
    }
    case 'assistant.message': {
      const outputTokens = numberOf(data['outputTokens']);
      const calls = listOf(data['toolRequests']).map((value) => {
        const { toolCallId, name, arguments: args } = objectOf(value);
        const id = textOf(toolCallId) ?? null;
        return { id, name: textOf(name) ?? '', args: isObject(args) ? args : (textOf(args) ?? {}) };
      });
      const usage = outputTokens === undefined ? undefined : { outputTokens };
      return [{ role: 'assistant', thought: textOf(data['reasoningText']), text, calls, usage }];
    }
    case 'tool.execution_complete': {
      // The user's own commands are no calls of the model.
      if (data['isUserRequested'] === true) return [];
      const { content, structuredContent } = objectOf(data['result']);
      const result = objectOf(data['error'])['message'] ?? content ?? structuredContent ?? '';
      // A command that ran is a success, whatever its exit code.
      const exitCode = numberOf(objectOf(data['shellExecution'])['exitCode']) ?? 0;
      const isError = data['success'] === false || exitCode !== 0 ? true : undefined;
      return [{ role: 'tool', results: [{ id: textOf(data['toolCallId']) ?? null, result, isError }] }];
    }
    default:
      return [];
  }
}
