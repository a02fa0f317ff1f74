import type { Usage } from './conversation.ts';
import { count, isObject } from './json.ts';

/** Tokens as Chat Completions report them. */
export function chatUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  return { inputTokens: count(usage['prompt_tokens']), outputTokens: count(usage['completion_tokens']) };
}
