import type { Usage } from '../record/conversation.ts';
import { isObject, objectOf, tokensOf } from '../record/json.ts';
import { anthropicUsage } from './anthropic.ts';
import { geminiUsage } from './gemini.ts';
import { chatUsage } from './openai-chat.ts';
import { responsesUsage } from './openai-responses.ts';

/** The usage that any API reports, by the names of its numbers. */
export function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  if ('prompt_tokens' in value || 'completion_tokens' in value) return chatUsage(value);
  if ('cache_read_input_tokens' in value || 'cache_creation_input_tokens' in value)
    return anthropicUsage(value);
  if ('input_tokens' in value) {
    const ofInput = objectOf(value['input_token_details']);
    // LangChain's names of the details.
    return {
      ...responsesUsage(value),
      ...('cache_read' in ofInput && { cachedInputTokens: tokensOf(ofInput['cache_read']) }),
      ...('cache_creation' in ofInput && { cacheWriteTokens: tokensOf(ofInput['cache_creation']) }),
    };
  }
  return geminiUsage(value);
}
