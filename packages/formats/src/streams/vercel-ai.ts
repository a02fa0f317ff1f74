import { type Format, ignored, type Reading, reading, statelessReader } from '../record/format.ts';
import { isObject, type JsonObject, nameOf, objectOf, textOf, tokensOf } from '../record/json.ts';
import type { Usage } from '../record/message.ts';

const types =
  /^(?:(?:start|finish|reset)-step|text-(?:start|delta|end)|reasoning-(?:start|delta|end)|tool-(?:input-(?:start|delta|end|available|error)|output-(?:available|error|denied)|call|result|error))$/;

/** Keys of the part that starts a stream. */
const startKeys = new Set(['messageId', 'messageMetadata']);

/** Streams of the AI SDK: UI messages (v1) and the parts of `fullStream`. They contain no session id. */
export const vercelAi: Format = {
  name: 'vercel-ai',
  title: 'an AI SDK stream',
  keys: ['toolCallId', 'toolName', 'inputTextDelta', 'preliminary', 'providerMetadata', 'finishReason'],
  recognizes: ({ type, ...rest }) =>
    (typeof type === 'string' && types.test(type) && !('sessionID' in rest || 'sessionId' in rest)) ||
    (type === 'start' && Object.keys(rest).every((key) => startKeys.has(key))),
  createReader: (session) => statelessReader((record) => read(record, session)),
};

function read(record: JsonObject, sessionId: string | undefined): Reading {
  const type = nameOf(record['type']);
  if (sessionId === undefined) return ignored(`${type} without a session`);
  const stamp = { sessionId };
  const callId = textOf(record['toolCallId']);
  const callIdOf = (kind: string) => (callId === undefined ? undefined : `${kind}:${callId}`);
  const { input } = record;
  const call = {
    ...stamp,
    id: callIdOf('call'),
    type: 'tool_call_request',
    callId,
    name: textOf(record['toolName']) ?? '',
    args: typeof input === 'string' ? input : { ...objectOf(input) },
  } as const;
  const failed = {
    ...stamp,
    id: callIdOf('result'),
    type: 'tool_result',
    callId,
    result: record['errorText'] ?? record['error'] ?? '',
    isError: true,
  } as const;
  const text = textOf(record['delta']) ?? textOf(record['text']);
  switch (type) {
    case 'start-step':
      return reading([{ ...stamp, type: 'turn_started' }]);
    case 'finish-step':
      return reading([{ ...stamp, type: 'turn_finished', usage: usageOf(record['usage']) }]);
    case 'reset-step':
      return reading([{ ...stamp, type: 'retry' }]);
    case 'text-delta':
      return text === undefined ? ignored(type) : reading([{ ...stamp, type: 'content', text }]);
    case 'reasoning-delta':
      return text === undefined ? ignored(type) : reading([{ ...stamp, type: 'thought', text }]);
    case 'tool-call':
    case 'tool-input-available':
      return reading([call]);
    case 'tool-input-error':
      return reading([call, failed]);
    case 'tool-output-error':
    case 'tool-error':
      return reading([failed]);
    case 'tool-output-denied':
      return reading([{ ...failed, result: 'denied', denied: true }]);
    case 'tool-result':
    case 'tool-output-available':
      if (record['preliminary'] === true) return ignored(`${type} (preliminary)`);
      return reading([{ ...failed, result: record['output'] ?? '', isError: undefined }]);
    default:
      return ignored(type);
  }
}

/** From version 6 on, the details are objects. */
function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const ofInput = objectOf(value['inputTokenDetails']);
  const ofOutput = objectOf(value['outputTokenDetails']);
  return {
    inputTokens: tokensOf(value['inputTokens']) ?? 0,
    outputTokens: tokensOf(value['outputTokens']) ?? 0,
    cachedInputTokens: tokensOf(ofInput['cacheReadTokens'] ?? value['cachedInputTokens']),
    cacheWriteTokens: tokensOf(ofInput['cacheWriteTokens']),
    reasoningTokens: tokensOf(ofOutput['reasoningTokens'] ?? value['reasoningTokens']),
  };
}
