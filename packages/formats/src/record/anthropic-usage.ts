import type { Usage } from './conversation.ts';
import { isObject, numberOf } from './json.ts';

/** Converts Anthropic's usage, whose input excludes cached tokens; the input of an event includes them. */
export function anthropicUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const input = numberOf(value['input_tokens']) ?? 0;
  const cachedInputTokens = numberOf(value['cache_read_input_tokens']) ?? 0;
  const cacheWriteTokens = numberOf(value['cache_creation_input_tokens']) ?? 0;
  return {
    inputTokens: input + cachedInputTokens + cacheWriteTokens,
    outputTokens: numberOf(value['output_tokens']) ?? 0,
    cachedInputTokens,
    cacheWriteTokens,
  };
}
