import { isObject, type JsonObject, listOf, nameOf, objectOf, textOf, tokensOf } from '../record/json.ts';
import type { ToolCall, ToolResult, Usage } from '../record/message.ts';
import { type AnswerDelta, noDelta, type StreamedAnswer } from './answer.ts';
import { plainResult } from './result.ts';

/** Whether a block is a call: of a tool of the client, or of one that runs at the API. */
export function isCallBlock({ type }: JsonObject): boolean {
  return type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use';
}

export function isResultBlock({ type }: JsonObject): boolean {
  return type === 'tool_result' || nameOf(type).endsWith('_tool_result');
}

/** The result in a block. Of what the API's own tools find, only the encrypted content varies between equal results. */
export function blockResult(block: JsonObject): ToolResult {
  const { content } = block;
  const isError = block['is_error'] ?? (objectOf(content)['error_code'] === undefined ? undefined : true);
  return {
    id: textOf(block['tool_use_id']) ?? null,
    result: plainResult(Array.isArray(content) ? content.map(withoutEncrypted) : content),
    isError: typeof isError === 'boolean' ? isError : undefined,
  };
}

function withoutEncrypted(part: unknown): unknown {
  if (!isObject(part) || !('encrypted_content' in part)) return part;
  const { encrypted_content: _, ...rest } = part;
  return rest;
}

const usageFields = [
  'input_tokens',
  'output_tokens',
  'cache_read_input_tokens',
  'cache_creation_input_tokens',
];

/**
 * Usage of Anthropic, whose input excludes cached tokens; the input of an event includes them.
 *
 * @returns undefined if there is no count: nothing is known then, which is not the same as 0
 */
export function anthropicUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const counts = usageFields.map((name) => tokensOf(usage[name]));
  if (counts.every((count) => count === undefined)) return undefined;
  const [input = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0] = counts;
  const hourCacheWriteTokens = tokensOf(objectOf(usage['cache_creation'])['ephemeral_1h_input_tokens']) ?? 0;
  return {
    inputTokens: input + cachedInputTokens + cacheWriteTokens,
    outputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    ...(hourCacheWriteTokens > 0 && { hourCacheWriteTokens }),
  };
}

/** A block of a streamed answer so far; the input of a call arrives as JSON text. */
export interface AnswerBlock {
  readonly start: JsonObject;
  text: string;
  thinking: string;
  signature: string;
  input: string;
  isComplete: boolean;
}

/** A streamed answer of Anthropic's Messages. */
export class AnthropicAnswer implements StreamedAnswer {
  id: string | null = null;
  rawUsage: JsonObject | null = null;
  finishReason: string | null = null;
  readonly #blocks = new Map<number, AnswerBlock>();
  readonly results: ToolResult[] = [];

  get usage(): Usage | null {
    return anthropicUsage(this.rawUsage) ?? null;
  }

  /** In the order of their starts. */
  get blocks(): AnswerBlock[] {
    return [...this.#blocks.values()];
  }

  get calls(): readonly ToolCall[] {
    return this.#callBlocks.map(({ start, input }) => ({
      id: textOf(start['id']) ?? null,
      name: textOf(start['name']) ?? '',
      args: input === '' ? objectOf(start['input']) : input,
    }));
  }

  get completeCalls(): number {
    const calls = this.#callBlocks;
    const open = calls.findIndex(({ isComplete }) => !isComplete);
    return open === -1 ? calls.length : open;
  }

  get #callBlocks(): AnswerBlock[] {
    return this.blocks.filter(({ start }) => isCallBlock(start));
  }

  takes(event: JsonObject): boolean {
    const block = this.#blocks.get(tokensOf(event['index']) ?? 0);
    switch (event['type']) {
      case 'content_block_start':
        return block === undefined;
      case 'content_block_delta':
        return block?.isComplete === false && fits(block, objectOf(event['delta']));
      case 'content_block_stop':
        return block?.isComplete === false;
      case 'message_delta':
        return this.blocks.every(({ isComplete }) => isComplete);
      default:
        return false;
    }
  }

  read(event: JsonObject): AnswerDelta {
    const index = tokensOf(event['index']) ?? 0;
    switch (event['type']) {
      case 'message_start': {
        const message = objectOf(event['message']);
        this.id = textOf(message['id']) ?? null;
        this.rawUsage = laterUsage(this.rawUsage, message);
        return noDelta;
      }
      case 'content_block_start':
        return this.#begin(index, objectOf(event['content_block']));
      case 'content_block_delta':
        return readDelta(this.#blocks.get(index), objectOf(event['delta']));
      case 'content_block_stop': {
        const block = this.#blocks.get(index);
        if (block !== undefined) block.isComplete = true;
        return noDelta;
      }
      case 'message_delta':
        this.rawUsage = laterUsage(this.rawUsage, event);
        this.finishReason = textOf(objectOf(event['delta'])['stop_reason']) ?? null;
        // Others may follow one without a reason, with later totals.
        return { isEnd: this.finishReason !== null };
      case 'message_stop':
        return { isEnd: true };
      default:
        return noDelta;
    }
  }

  #begin(index: number, start: JsonObject): AnswerDelta {
    const text = textOf(start['text']) ?? '';
    const empty = { thinking: '', signature: '', input: '', isComplete: false };
    this.#blocks.set(index, { start, text, ...empty });
    if (isResultBlock(start)) this.results.push(blockResult(start));
    if (start['type'] === 'tool_use') return { isOfCall: true };
    return text === '' ? noDelta : { text };
  }
}

function fits({ start }: AnswerBlock, delta: JsonObject): boolean {
  return isCallBlock(start) === (delta['type'] === 'input_json_delta');
}

function readDelta(block: AnswerBlock | undefined, delta: JsonObject): AnswerDelta {
  const text = textOf(delta['text']);
  const thought = textOf(delta['thinking']);
  if (block !== undefined) {
    block.text += text ?? '';
    block.thinking += thought ?? '';
    block.signature += textOf(delta['signature']) ?? '';
    block.input += textOf(delta['partial_json']) ?? '';
  }
  if (text !== undefined) return { text };
  return thought === undefined ? noDelta : { thought };
}

/** Usage updated by a later part of an answer: its counts are totals of the answer so far. */
export function laterUsage(earlier: JsonObject | null, { usage }: JsonObject): JsonObject | null {
  if (!isObject(usage)) return earlier;
  return { ...earlier, ...Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null)) };
}

/** The blocks of a message; plain text counts as one block. */
export function blocksOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content).map(objectOf);
}
