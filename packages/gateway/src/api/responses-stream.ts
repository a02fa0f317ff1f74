import { type SseEvent, sseText } from '../stream/sse.ts';
import type { ApiStream, StreamNews } from './api.ts';
import type { Json, OwnAnswer, ToolCall, Usage } from './conversation.ts';
import { count, isObject, objects, parseObject, text } from './json.ts';

const NO_NEWS: StreamNews = {};
/** Events that come before the first item. */
const beginnings = new Set(['response.created', 'response.queued', 'response.in_progress']);

/** A message that the client has begun to get. */
interface OpenMessage {
  readonly item: Json;
  readonly outputIndex: number;
  /** Undefined: no part of it has begun. */
  contentIndex: number | undefined;
  text: string;
}

/** A streamed answer of OpenAI's Responses. */
export class ResponsesStream implements ApiStream {
  id: string | null = null;
  usage: Usage | null = null;
  finishReason: string | null = null;
  private readonly own: (answer: OwnAnswer) => Json;
  /** Items that are complete, those that are held back included. */
  private readonly items: Json[] = [];
  /** What the client has got. */
  private begun: Json | undefined;
  private readonly passedItems: Json[] = [];
  private open: OpenMessage | undefined;
  private nextOutput = 0;
  /** Items from before this stream went on with another answer. */
  private earlierOutputs: number | undefined;
  private sequence = 0;

  constructor(own: (answer: OwnAnswer) => Json) {
    this.own = own;
  }

  get calls(): readonly ToolCall[] {
    return this.items.filter(isCall).map((item) => ({
      id: text(item['call_id']),
      name: text(item['name']) ?? '',
      args: text(item['arguments']) ?? text(item['input']) ?? '',
    }));
  }

  /** Items come one after another, each as a whole at its end. */
  get completeCalls(): number {
    return this.calls.length;
  }

  read({ data }: SseEvent): StreamNews {
    const event = data === '' ? undefined : parseObject(data);
    if (event === undefined) return NO_NEWS;
    switch (event['type']) {
      case 'response.created':
        if (isObject(event['response'])) this.id = text(event['response']['id']);
        return NO_NEWS;
      case 'response.output_item.added':
        return isObject(event['item']) && isCall(event['item']) ? { holds: true } : NO_NEWS;
      case 'response.output_item.done':
        if (isObject(event['item'])) this.items.push(event['item']);
        return NO_NEWS;
      case 'response.output_text.delta':
        return { text: text(event['delta']) ?? '' };
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return { thought: text(event['delta']) ?? '' };
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        if (isObject(event['response'])) this.noteEnd(event['response']);
        return { ends: true };
      default:
        return NO_NEWS;
    }
  }

  private noteEnd(response: Json): void {
    this.finishReason = text(response['status']);
    const { usage } = response;
    if (isObject(usage))
      this.usage = { inputTokens: count(usage['input_tokens']), outputTokens: count(usage['output_tokens']) };
  }

  passed({ data }: SseEvent): void {
    const event = data === '' ? undefined : parseObject(data);
    if (event !== undefined) this.notePassed(event);
  }

  private notePassed(event: Json): void {
    this.sequence = (count(event['sequence_number']) ?? this.sequence) + 1;
    const { item, part } = event;
    switch (event['type']) {
      case 'response.created':
        if (isObject(event['response'])) this.begun = event['response'];
        break;
      case 'response.output_item.added':
        this.nextOutput = (count(event['output_index']) ?? this.nextOutput) + 1;
        if (isObject(item) && item['type'] === 'message')
          this.open = { item, outputIndex: this.nextOutput - 1, contentIndex: undefined, text: '' };
        break;
      case 'response.content_part.added':
        if (this.open !== undefined && isObject(part)) {
          this.open.contentIndex = count(event['content_index']) ?? 0;
          this.open.text = text(part['text']) ?? '';
        }
        break;
      case 'response.output_text.delta':
        if (this.open !== undefined) this.open.text += text(event['delta']) ?? '';
        break;
      case 'response.output_item.done':
        if (isObject(item)) this.passedItems.push(item);
        this.open = undefined;
        break;
      default:
    }
  }

  continued({ data }: SseEvent): string {
    const event = data === '' ? undefined : parseObject(data);
    const type = text(event?.['type']);
    if (event === undefined || type === null) return '';
    // The client has been told of a response that is under way.
    if (beginnings.has(type) && this.begun !== undefined) return '';
    const out: string[] = [];
    if (this.earlierOutputs === undefined) {
      this.close(this.emitter(out));
      this.earlierOutputs = this.nextOutput;
    }
    const { response, output_index: index } = event;
    const moved = {
      ...event,
      sequence_number: this.sequence,
      ...(typeof index === 'number' && { output_index: this.earlierOutputs + index }),
      ...(isObject(response) &&
        Array.isArray(response['output']) && {
          response: {
            ...response,
            output: [...this.passedItems.slice(0, this.earlierOutputs), ...objects(response['output'])],
          },
        }),
    };
    this.notePassed(moved);
    out.push(sseText(moved, type));
    return out.join('');
  }

  private emitter(out: string[]): (type: string, more: Json) => void {
    return (type, more) => {
      out.push(sseText({ type, sequence_number: this.sequence, ...more }, type));
      this.sequence += 1;
    };
  }

  reply(): Json {
    return { output: this.items };
  }

  finish(answer: OwnAnswer): string {
    return this.goOn(this.own(answer));
  }

  continueWith(reply: Json): string {
    return this.goOn(reply);
  }

  /** The items of an answer behind those that the client has got, and the end of the response. */
  private goOn(answer: Json): string {
    const out: string[] = [];
    const emit = this.emitter(out);
    if (this.begun === undefined)
      emit('response.created', { response: { ...answer, status: 'in_progress', output: [] } });
    this.close(emit);
    const items = objects(answer['output']);
    for (const item of items) {
      const index = this.nextOutput;
      this.nextOutput += 1;
      writeItem(item, index, emit);
    }
    const end = answer['status'] === 'completed' ? 'response.completed' : 'response.incomplete';
    emit(end, { response: { ...answer, output: [...this.passedItems, ...items] } });
    return out.join('');
  }

  /** Ends the message that the client is getting. */
  private close(emit: (type: string, more: Json) => void): void {
    const { open } = this;
    if (open === undefined) return;
    this.open = undefined;
    const { item, outputIndex, contentIndex, text: said } = open;
    const parts = contentIndex === undefined ? [] : [{ type: 'output_text', text: said, annotations: [] }];
    const done = { ...item, status: 'incomplete', content: parts };
    if (contentIndex !== undefined) {
      const place = { item_id: item['id'], output_index: outputIndex, content_index: contentIndex };
      emit('response.output_text.done', { ...place, text: said, logprobs: [] });
      emit('response.content_part.done', { ...place, part: parts[0] });
    }
    emit('response.output_item.done', { output_index: outputIndex, item: done });
    this.passedItems.push(done);
  }
}

/** A whole item as it would have been streamed. */
function writeItem(item: Json, index: number, emit: (type: string, more: Json) => void): void {
  const place = { item_id: item['id'], output_index: index };
  const begun = { ...item, status: 'in_progress' };
  if (item['type'] === 'message') {
    emit('response.output_item.added', { output_index: index, item: { ...begun, content: [] } });
    objects(item['content']).forEach((part, at) => {
      const where = { ...place, content_index: at };
      const isText = typeof part['text'] === 'string';
      emit('response.content_part.added', { ...where, part: isText ? { ...part, text: '' } : part });
      if (isText) {
        emit('response.output_text.delta', { ...where, delta: part['text'], logprobs: [] });
        emit('response.output_text.done', { ...where, text: part['text'], logprobs: [] });
      }
      emit('response.content_part.done', { ...where, part });
    });
  } else if (item['type'] === 'function_call') {
    emit('response.output_item.added', { output_index: index, item: { ...begun, arguments: '' } });
    emit('response.function_call_arguments.delta', { ...place, delta: item['arguments'] });
    emit('response.function_call_arguments.done', {
      ...place,
      name: item['name'],
      arguments: item['arguments'],
    });
  } else emit('response.output_item.added', { output_index: index, item: begun });
  emit('response.output_item.done', { output_index: index, item });
}

function isCall({ type }: Json): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}
