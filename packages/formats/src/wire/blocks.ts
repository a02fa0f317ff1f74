import { isObject, type JsonObject, joinedText, nameOf, textOf } from '../record/json.ts';
import { blocksOf } from './anthropic.ts';
import { bedrockThought } from './bedrock.ts';

/** The blocks of a message of any API. */
export function blocksIn(item: JsonObject): readonly JsonObject[] {
  const blocks = blocksOf(item['content'] ?? item['parts'] ?? item['contents'] ?? item['items']);
  // OpenInference wraps the blocks of a message, too; the call of one is beside it.
  return blocks.map((block) => {
    const { message_content: inner, ...others } = block;
    return isObject(inner) ? { ...inner, ...others } : kernelBlock(block);
  });
}

/**
 * A block of Semantic Kernel's serialized history or of Microsoft's Agent Framework, in Python or .NET. Source:
 * `semantic_kernel/contents` of version 1, `agent_framework/_types.py`, `AIContent` of Microsoft.Extensions.AI.
 */
function kernelBlock(block: JsonObject): JsonObject {
  const { content_type: kernelType, $type: netType, arguments: args, result, exception } = block;
  const type = kernelType ?? netType ?? block['type'];
  const id = block['call_id'] ?? block['callId'] ?? block['id'];
  if (type === 'function_call' || type === 'functionCall')
    return { ...block, type: 'tool_call', id, arguments: args ?? {} };
  if (type === 'function_result' || type === 'functionResult') {
    const isError = exception !== undefined && exception !== null;
    return { ...block, type: 'tool_call_response', id, result: result ?? exception, isError };
  }
  return typeof type === 'string' ? { ...block, type } : block;
}

/** The texts in a message, without what the model thinks. */
export function textIn(item: JsonObject, between: string): string {
  const texts = blocksIn(item).map((block) =>
    thoughtIn(block) !== undefined ? undefined : (textOf(block['text']) ?? textOf(contentOfText(block))),
  );
  return texts.filter((text) => text !== undefined).join(between);
}

function contentOfText({ type, content }: JsonObject): unknown {
  return type === 'text' ? content : undefined;
}

const thoughtBlocks = new Set(['thinking', 'reasoning', 'think', 'text_reasoning']);

/** What the model thinks, in a block of any API; undefined for other blocks. */
export function thoughtIn(block: JsonObject): string | undefined {
  const ofBedrock = bedrockThought(block);
  if (ofBedrock !== undefined) return ofBedrock;
  if (!thoughtBlocks.has(nameOf(block['type'])) && block['thought'] !== true) return undefined;
  const text = ['thinking', 'think', 'reasoning', 'text', 'content'].map((name) => textOf(block[name]));
  return text.find((one) => one !== undefined) ?? joinedText(block['summary']);
}
