import { isObject, type JsonObject, objectOf, textOf, tokensOf } from '../record/json.ts';
import type { ToolResult, Usage } from '../record/message.ts';
import { plainResult } from './result.ts';

/** The call in a part of Gemini's content, as JSON or as its Python SDK writes it. */
export function geminiCall(part: JsonObject): JsonObject | undefined {
  const call = part['functionCall'] ?? part['function_call'];
  return isObject(call) ? call : undefined;
}

/** The result in a part of Gemini's content. */
export function geminiResult(part: JsonObject): ToolResult | undefined {
  const held = part['functionResponse'] ?? part['function_response'];
  if (!isObject(held)) return undefined;
  const { result, isError } = geminiResponse(objectOf(held['response']));
  return { id: textOf(held['id']) ?? null, result, isError };
}

const wrappers = new Set(['output', 'error', 'result']);

/** A tool's response; SDKs wrap one that is no object. */
export function geminiResponse(response: JsonObject): Pick<ToolResult, 'result' | 'isError'> {
  const [key = '', ...others] = Object.keys(response);
  const isWrapped = others.length === 0 && wrappers.has(key);
  return {
    result: plainResult(isWrapped ? response[key] : response),
    isError: textOf(response['error']) === undefined ? undefined : true,
  };
}

/** Usage of a Gemini response. Its candidates do not include thoughts, but those of compatible APIs may. */
export function geminiUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const tokens = (name: string, pythonName: string) => tokensOf(value[name] ?? value[pythonName]);
  const inputTokens = tokens('promptTokenCount', 'prompt_token_count');
  const total = tokens('totalTokenCount', 'total_token_count');
  const candidates = tokens('candidatesTokenCount', 'candidates_token_count');
  const reasoningTokens = tokens('thoughtsTokenCount', 'thoughts_token_count');
  if (inputTokens === undefined && candidates === undefined) return undefined;
  const isTotal = total !== undefined && inputTokens !== undefined && total >= inputTokens;
  return {
    inputTokens,
    outputTokens: isTotal ? total - inputTokens : (candidates ?? 0) + (reasoningTokens ?? 0),
    cachedInputTokens: tokens('cachedContentTokenCount', 'cached_content_token_count'),
    reasoningTokens,
  };
}
