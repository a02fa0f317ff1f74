import { type JsonObject, joinedText, listOf, objectOf, textOf } from '../record/json.ts';
import { blockResult, isCallBlock, isResultBlock } from '../wire/anthropic.ts';

/** Joins a result that consists of text; other content, such as images, is unchanged. */
export function resultOf(content: unknown): unknown {
  const isText = listOf(content).every((part) => objectOf(part)['type'] === 'text');
  return Array.isArray(content) && isText ? joinedText(content) : (content ?? '');
}

type Block =
  | { readonly type: 'content' | 'thought'; readonly text: string }
  | {
      readonly type: 'tool_call_request';
      readonly callId: string | undefined;
      readonly name: string;
      readonly args: Record<string, unknown>;
    }
  | {
      readonly type: 'tool_result';
      readonly callId: string | undefined;
      readonly result: unknown;
      readonly isError: boolean;
    };

/** The event of a block in a message of the assistant. */
export function eventOf(block: JsonObject): Block | undefined {
  const { type } = block;
  const text = textOf(block['text']) ?? textOf(block['thinking']);
  if (type === 'text' && text !== undefined) return { type: 'content', text };
  if (type === 'thinking' && text !== undefined) return { type: 'thought', text };
  if (isCallBlock(block)) {
    const name = textOf(block['name']) ?? '';
    return {
      type: 'tool_call_request',
      callId: textOf(block['id']),
      name,
      args: { ...objectOf(block['input']) },
    };
  }
  // Of a tool that runs at the API.
  if (isResultBlock(block)) {
    const { id, result, isError = false } = blockResult(block);
    return { type: 'tool_result', callId: id ?? undefined, result, isError };
  }
  return undefined;
}
