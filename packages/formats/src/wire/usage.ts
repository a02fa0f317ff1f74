import { isObject, type JsonObject, objectOf, tokensOf } from '../record/json.ts';
import type { Usage } from '../record/message.ts';
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
  if ('inputTokens' in value) return converseUsage(value);
  if ('eval_count' in value)
    return { inputTokens: tokensOf(value['prompt_eval_count']), outputTokens: tokensOf(value['eval_count']) };
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

/** Usage of Bedrock's Converse API, whose input excludes cached tokens, as that of Anthropic does. */
function converseUsage(value: JsonObject): Usage | undefined {
  return anthropicUsage({
    input_tokens: value['inputTokens'],
    output_tokens: value['outputTokens'],
    cache_read_input_tokens: value['cacheReadInputTokens'],
    cache_creation_input_tokens: value['cacheWriteInputTokens'],
  });
}
