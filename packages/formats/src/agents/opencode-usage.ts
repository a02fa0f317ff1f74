import { isObject, numberOf, objectOf } from '../record/json.ts';
import type { Usage } from '../record/message.ts';

/** opencode's input excludes cached tokens, and its output excludes reasoning. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const cache = objectOf(value['cache']);
  const cachedInputTokens = numberOf(cache['read']) ?? 0;
  const cacheWriteTokens = numberOf(cache['write']) ?? 0;
  const reasoningTokens = numberOf(value['reasoning']) ?? 0;
  return {
    inputTokens: (numberOf(value['input']) ?? 0) + cachedInputTokens + cacheWriteTokens,
    outputTokens: (numberOf(value['output']) ?? 0) + reasoningTokens,
    cachedInputTokens,
    cacheWriteTokens,
    reasoningTokens,
  };
}
