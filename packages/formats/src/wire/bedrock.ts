import { isObject, type JsonObject, listOf, objectOf, textOf } from '../record/json.ts';
import type { ToolResult } from '../record/message.ts';
import { plainResult } from './result.ts';

/** The call in a block of Bedrock's Converse API, which Strands uses too. */
export function bedrockCall({ toolUse }: JsonObject): JsonObject | undefined {
  return isObject(toolUse) ? { ...toolUse, id: toolUse['toolUseId'] } : undefined;
}

/** The result in such a block. */
export function bedrockResult({ toolResult }: JsonObject): ToolResult | undefined {
  if (!isObject(toolResult)) return undefined;
  const content = listOf(toolResult['content']).map((part) => objectOf(part)['json'] ?? part);
  const [only] = content;
  return {
    id: textOf(toolResult['toolUseId']) ?? null,
    result: plainResult(content.length === 1 && !isObject(only) ? only : content),
    isError: toolResult['status'] === 'error' ? true : undefined,
  };
}

/** The reasoning in such a block, or in the part that Strands makes of it. */
export function bedrockThought({ reasoningContent, content }: JsonObject): string | undefined {
  return textOf(objectOf(objectOf(reasoningContent ?? content)['reasoningText'])['text']);
}
