import { AnthropicAnswer, isCallBlock, laterUsage } from '@loopwatch/formats/wire';
import type { ApiStream } from './api.ts';
import type { Json, SyntheticReply } from './conversation.ts';
import { count, isObject, objects, parseObject, summed, text } from './json.ts';
import { sseText } from './sse.ts';
import type { StreamEvent } from './stream-event.ts';

/** A streamed reply of Anthropic's Messages. */
export class MessagesStream implements ApiStream {
  readonly answer = new AnthropicAnswer();
  readonly #synthetic: (reply: SyntheticReply) => Json;
  /** What follows is the state of the client. */
  #hasBegun = false;
  #openBlock: number | undefined;
  #nextBlock = 0;
  /** Whether it has got calls that it runs. */
  #hasCalls = false;
  /** Calls of this reply sent to the client. */
  #sentCalls = 0;
  #hasText = false;
  /** Whether the next text is of a second reply and needs a paragraph break: clients join texts. */
  #needsBreak = false;
  /** Blocks sent before a second reply continued this stream. */
  #earlierBlocks: number | undefined;
  /** Usage of the second reply. */
  #laterUsage: Json | null = null;

  constructor(synthetic: (reply: SyntheticReply) => Json) {
    this.#synthetic = synthetic;
  }

  markSent({ json: event }: StreamEvent): void {
    if (event !== undefined) this.#noteSent(event);
  }

  #noteSent(event: Json): void {
    if (event['type'] === 'message_start') this.#hasBegun = true;
    else if (event['type'] === 'content_block_start') {
      this.#openBlock = indexOf(event);
      this.#nextBlock = this.#openBlock + 1;
      const block = event['content_block'];
      if (isObject(block) && isCallBlock(block)) {
        this.#hasCalls ||= block['type'] === 'tool_use';
        if (this.#earlierBlocks === undefined) this.#sentCalls += 1;
      }
    } else if (event['type'] === 'content_block_stop') this.#openBlock = undefined;
    else if (event['type'] === 'content_block_delta' && isObject(event['delta']))
      this.#hasText ||= event['delta']['type'] === 'text_delta';
  }

  continueEvent({ json: event }: StreamEvent): string {
    if (event === undefined) return '';
    const { type, message } = event;
    this.#laterUsage = laterUsage(this.#laterUsage, isObject(message) ? message : event);
    if (type === 'message_start' && this.#hasBegun) return '';
    let before = '';
    if (this.#earlierBlocks === undefined) {
      if (this.#openBlock !== undefined)
        before = sseText({ type: 'content_block_stop', index: this.#openBlock }, 'content_block_stop');
      this.#openBlock = undefined;
      this.#earlierBlocks = this.#nextBlock;
      this.#needsBreak = this.#hasText;
    }
    const moved = {
      ...event,
      ...('index' in event && { index: this.#earlierBlocks + indexOf(event) }),
      ...(isObject(event['delta']) && { delta: this.#separated(event['delta']) }),
      ...(type === 'message_delta' && { usage: summed(this.answer.rawUsage, this.#laterUsage) }),
    };
    this.#noteSent(moved);
    return before + sseText(moved, text(type) ?? undefined);
  }

  /** The delta with a paragraph break before the first text of a second reply. */
  #separated(delta: Json): Json {
    if (!this.#needsBreak || delta['type'] !== 'text_delta') return delta;
    this.#needsBreak = false;
    return { ...delta, text: `\n\n${text(delta['text']) ?? ''}` };
  }

  reply(count: number): Json {
    let calls = 0;
    const blocks = this.answer.blocks.filter(({ start }) => !isCallBlock(start) || ++calls <= count);
    const content = blocks.map((block) => {
      const { start } = block;
      if (isCallBlock(start)) return { ...start, input: parseObject(block.input) ?? start['input'] ?? {} };
      if (start['type'] === 'text') return { ...start, text: block.text };
      if (start['type'] === 'thinking')
        return { ...start, thinking: block.thinking, signature: block.signature };
      return start;
    });
    return { content };
  }

  withSentCalls(body: Json): Json {
    if (this.#sentCalls === 0) return body;
    const reply = { role: 'assistant', ...this.reply(this.#sentCalls) };
    return { ...body, messages: [...objects(body['messages']), reply] };
  }

  finish(reply: SyntheticReply, usage: Json | null): string {
    const synthetic = this.#synthetic(reply);
    return this.#append(usage === null ? synthetic : { ...synthetic, usage }, reply.details);
  }

  continueWith(reply: Json): string {
    return this.#append(reply);
  }

  /** Appends the blocks of a reply and ends the message. */
  #append(reply: Json, details?: Json): string {
    const { content, stop_reason: reason, usage } = reply;
    const out: string[] = [];
    const emit = (type: string, more: Json): void => {
      out.push(sseText({ type, ...more }, type));
    };
    if (!this.#hasBegun) {
      const message = { ...reply, content: [], stop_reason: null };
      emit('message_start', { message });
    }
    if (this.#openBlock !== undefined) emit('content_block_stop', { index: this.#openBlock });
    this.#needsBreak = this.#hasText;
    for (const block of objects(content)) {
      const index = this.#nextBlock;
      this.#nextBlock += 1;
      const { start, deltas } = inParts(block);
      emit('content_block_start', { index, content_block: start });
      for (const delta of deltas) emit('content_block_delta', { index, delta: this.#separated(delta) });
      emit('content_block_stop', { index });
    }
    emit('message_delta', {
      // The client has got calls: without their results the conversation could not continue.
      delta: { stop_reason: this.#hasCalls ? 'tool_use' : reason, stop_sequence: null },
      usage: usage ?? { output_tokens: 0 },
      ...(details && { loopwatch: details }),
    });
    emit('message_stop', {});
    return out.join('');
  }
}

function indexOf(event: Json): number {
  return count(event['index']) ?? 0;
}

/** A complete block as the events that would have streamed it. */
function inParts(block: Json): { readonly start: Json; readonly deltas: readonly Json[] } {
  if (isCallBlock(block)) {
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block['input'] ?? {}) };
    return { start: { ...block, input: {} }, deltas: [delta] };
  }
  switch (block['type']) {
    case 'text':
      return { start: { ...block, text: '' }, deltas: [{ type: 'text_delta', text: block['text'] }] };
    case 'thinking':
      return {
        start: { ...block, thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: block['thinking'] },
          { type: 'signature_delta', signature: block['signature'] },
        ],
      };
    default:
      return { start: block, deltas: [] };
  }
}
