import { type SseEvent, sseText } from '../stream/sse.ts';
import type { ApiStream, StreamNews } from './api.ts';
import { contentText } from './content.ts';
import type { Json, OwnAnswer, ToolCall, Usage } from './conversation.ts';
import { count, isObject, objects, parseObject, summed, text, usageOf } from './json.ts';
import { inputOf, isCall, responsesUsage } from './responses-input.ts';
import { OpenItem } from './responses-open-item.ts';

const NO_NEWS: StreamNews = {};
/** Between two texts that clients join. */
const BREAK = '\n\n';
/** Events that come before the first item. */
const beginnings = new Set(['response.created', 'response.queued', 'response.in_progress']);

/** A streamed answer of OpenAI's Responses. */
export class ResponsesStream implements ApiStream {
  id: string | null = null;
  rawUsage: Json | null = null;
  finishReason: string | null = null;
  private readonly own: (answer: OwnAnswer) => Json;
  /** Items that are complete, those that are held back included. */
  private readonly items: Json[] = [];
  /** What the client has got. */
  private begun: Json | undefined;
  private readonly passedItems: Json[] = [];
  private open: OpenItem | undefined;
  private nextOutput = 0;
  /** Items from before this stream went on with another answer. */
  private earlierOutputs: number | undefined;
  private sequence = 0;
  /** The message of another answer that has a break before its text. */
  private broken: unknown;

  constructor(own: (answer: OwnAnswer) => Json) {
    this.own = own;
  }

  get usage(): Usage | null {
    return responsesUsage(this.rawUsage);
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
    this.rawUsage = usageOf(response);
  }

  passed({ data }: SseEvent): void {
    const event = data === '' ? undefined : parseObject(data);
    if (event !== undefined) this.notePassed(event);
  }

  private notePassed(event: Json): void {
    this.sequence = (count(event['sequence_number']) ?? this.sequence) + 1;
    const { item } = event;
    switch (event['type']) {
      case 'response.created':
        if (isObject(event['response'])) this.begun = event['response'];
        break;
      case 'response.output_item.added':
        this.nextOutput = (count(event['output_index']) ?? this.nextOutput) + 1;
        if (isObject(item)) this.open = new OpenItem(item, this.nextOutput - 1);
        break;
      case 'response.output_item.done':
        if (isObject(item)) this.passedItems.push(item);
        this.open = undefined;
        break;
      default:
        this.open?.pass(event);
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
    const moved = this.separated({
      ...event,
      sequence_number: this.sequence,
      ...(typeof index === 'number' && { output_index: this.earlierOutputs + index }),
      ...(isObject(response) && { response: this.continuedResponse(response, this.earlierOutputs) }),
    });
    this.notePassed(moved);
    out.push(sseText(moved, type));
    return out.join('');
  }

  /** Another response as the one that the client is getting. */
  private continuedResponse(response: Json, earlier: number): Json {
    const { output } = response;
    const usage = usageOf(response);
    return {
      ...response,
      ...this.identity,
      ...(Array.isArray(output) && {
        output: [
          ...this.passedItems.slice(0, earlier),
          ...objects(output).map((item) => this.withBreak(item)),
        ],
      }),
      ...(usage !== null && { usage: summed(this.rawUsage, usage) }),
    };
  }

  /** What tells the response that the client is getting from others. */
  private get identity(): Json {
    if (this.begun === undefined) return {};
    const { id, created_at: createdAt } = this.begun;
    return { id, created_at: createdAt };
  }

  /** The event with a break before the first text of another answer: clients join texts. */
  private separated(event: Json): Json {
    const { type, item_id: id, item, part, delta, text: said } = event;
    if (type === 'response.output_text.delta' && this.broken === undefined && this.hasText) {
      this.broken = id;
      return { ...event, delta: `${BREAK}${text(delta) ?? ''}` };
    }
    if (this.broken === undefined) return event;
    if (isObject(item)) return { ...event, item: this.withBreak(item) };
    if (id !== this.broken || (count(event['content_index']) ?? 0) !== 0) return event;
    if (type === 'response.output_text.done') return { ...event, text: `${BREAK}${text(said) ?? ''}` };
    return type === 'response.content_part.done' && isObject(part)
      ? { ...event, part: separatedPart(part) }
      : event;
  }

  private withBreak(item: Json): Json {
    return this.broken !== undefined && item['id'] === this.broken ? separatedItem(item) : item;
  }

  private get hasText(): boolean {
    return this.passedItems.some((item) => item['type'] === 'message' && contentText(item['content']) !== '');
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

  finish(answer: OwnAnswer, usage: Json | null): string {
    const own = this.own(answer);
    return this.goOn({ ...own, ...this.identity, ...(usage !== null && { usage }) });
  }

  continueWith(reply: Json): string {
    return this.goOn({ ...reply, ...this.identity });
  }

  withPassedCalls(body: Json): Json {
    const calls = this.passedItems.filter(isCall);
    return calls.length === 0 ? body : { ...body, input: [...inputOf(body), ...calls] };
  }

  /** The items of an answer behind those that the client has got, and the end of the response. */
  private goOn(answer: Json): string {
    const out: string[] = [];
    const emit = this.emitter(out);
    if (this.begun === undefined)
      emit('response.created', { response: { ...answer, status: 'in_progress', output: [] } });
    this.close(emit);
    const items = objects(answer['output']);
    const first = items.findIndex(({ type }) => type === 'message');
    if (first !== -1 && this.hasText) items[first] = separatedItem(items[first] ?? {});
    for (const item of items) {
      const index = this.nextOutput;
      this.nextOutput += 1;
      writeItem(item, index, emit);
    }
    const end = answer['status'] === 'completed' ? 'response.completed' : 'response.incomplete';
    emit(end, { response: { ...answer, output: [...this.passedItems, ...items] } });
    return out.join('');
  }

  /** Ends the item that the client is getting. */
  private close(emit: (type: string, more: Json) => void): void {
    const { open } = this;
    this.open = undefined;
    if (open !== undefined) this.passedItems.push(open.close(emit));
  }
}

/** A message with a break before its text. */
function separatedItem(item: Json): Json {
  const [first, ...rest] = objects(item['content']);
  return first === undefined ? item : { ...item, content: [separatedPart(first), ...rest] };
}

function separatedPart(part: Json): Json {
  return part['type'] === 'output_text' ? { ...part, text: `${BREAK}${text(part['text']) ?? ''}` } : part;
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
