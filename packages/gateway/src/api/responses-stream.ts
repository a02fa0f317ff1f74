import { itemCall, joinedText, ResponsesAnswer } from '@loopwatch/formats/wire';
import type { ApiStream } from './api.ts';
import type { Json, SyntheticReply } from './conversation.ts';
import { count, isObject, objects, summed, text, usageOf } from './json.ts';
import { inputOf, OpenItem } from './responses-items.ts';
import { sseText } from './sse.ts';
import type { StreamEvent } from './stream-event.ts';

/** Separates two texts that clients join. */
const BREAK = '\n\n';
/** Events before the first item. */
const startEvents = new Set(['response.created', 'response.queued', 'response.in_progress']);

/** A streamed reply of OpenAI's Responses. */
export class ResponsesStream implements ApiStream {
  readonly answer = new ResponsesAnswer();
  readonly #synthetic: (reply: SyntheticReply) => Json;
  /** The response as the client has got it. */
  #begun: Json | undefined;
  readonly #sentItems: Json[] = [];
  #open: OpenItem | undefined;
  #nextOutput = 0;
  /** Items sent before a second reply continued this stream. */
  #earlierOutputs: number | undefined;
  #sequence = 0;
  /** Id of the message of a second reply whose text starts with a break. */
  #separatedId: unknown;

  constructor(synthetic: (reply: SyntheticReply) => Json) {
    this.#synthetic = synthetic;
  }

  markSent({ json: event }: StreamEvent): void {
    if (event !== undefined) this.#noteSent(event);
  }

  #noteSent(event: Json): void {
    this.#sequence = (count(event['sequence_number']) ?? this.#sequence) + 1;
    const { item } = event;
    switch (event['type']) {
      case 'response.created':
        if (isObject(event['response'])) this.#begun = event['response'];
        break;
      case 'response.output_item.added':
        this.#nextOutput = (count(event['output_index']) ?? this.#nextOutput) + 1;
        if (isObject(item)) this.#open = new OpenItem(item, this.#nextOutput - 1);
        break;
      case 'response.output_item.done':
        if (isObject(item)) this.#sentItems.push(item);
        this.#open = undefined;
        break;
      default:
        this.#open?.markSent(event);
    }
  }

  continueEvent({ json: event }: StreamEvent): string {
    const type = text(event?.['type']);
    if (event === undefined || type === null) return '';
    // The client has got these events already.
    if (startEvents.has(type) && this.#begun !== undefined) return '';
    const out: string[] = [];
    if (this.#earlierOutputs === undefined) {
      this.#close(this.#emitter(out));
      this.#earlierOutputs = this.#nextOutput;
    }
    const { response, output_index: index } = event;
    const moved = this.#separated({
      ...event,
      sequence_number: this.#sequence,
      ...(typeof index === 'number' && { output_index: this.#earlierOutputs + index }),
      ...(isObject(response) && { response: this.#continuedResponse(response, this.#earlierOutputs) }),
    });
    this.#noteSent(moved);
    out.push(sseText(moved, type));
    return out.join('');
  }

  /** The second response with the identity of the one that the client is receiving. */
  #continuedResponse(response: Json, earlier: number): Json {
    const { output } = response;
    const usage = usageOf(response);
    return {
      ...response,
      ...this.#identity,
      ...(Array.isArray(output) && {
        output: [
          ...this.#sentItems.slice(0, earlier),
          ...objects(output).map((item) => this.#withBreak(item)),
        ],
      }),
      ...(usage !== null && { usage: summed(this.answer.rawUsage, usage) }),
    };
  }

  /** The fields that identify the response to the client. */
  get #identity(): Json {
    if (this.#begun === undefined) return {};
    const { id, created_at: createdAt } = this.#begun;
    return { id, created_at: createdAt };
  }

  /** The event with a break before the first text of a second reply: clients join texts. */
  #separated(event: Json): Json {
    const { type, item_id: id, item, part, delta, text: wholeText } = event;
    if (type === 'response.output_text.delta' && this.#separatedId === undefined && this.#hasText) {
      this.#separatedId = id;
      return { ...event, delta: `${BREAK}${text(delta) ?? ''}` };
    }
    if (this.#separatedId === undefined) return event;
    if (isObject(item)) return { ...event, item: this.#withBreak(item) };
    if (id !== this.#separatedId || (count(event['content_index']) ?? 0) !== 0) return event;
    if (type === 'response.output_text.done') return { ...event, text: `${BREAK}${text(wholeText) ?? ''}` };
    return type === 'response.content_part.done' && isObject(part)
      ? { ...event, part: separatedPart(part) }
      : event;
  }

  #withBreak(item: Json): Json {
    return this.#separatedId !== undefined && item['id'] === this.#separatedId ? separatedItem(item) : item;
  }

  get #hasText(): boolean {
    return this.#sentItems.some((item) => item['type'] === 'message' && joinedText(item['content']) !== '');
  }

  #emitter(out: string[]): (type: string, more: Json) => void {
    return (type, more) => {
      out.push(sseText({ type, sequence_number: this.#sequence, ...more }, type));
      this.#sequence += 1;
    };
  }

  reply(): Json {
    return { output: this.answer.items };
  }

  finish(reply: SyntheticReply, usage: Json | null): string {
    const synthetic = this.#synthetic(reply);
    return this.#append({ ...synthetic, ...this.#identity, ...(usage !== null && { usage }) });
  }

  continueWith(reply: Json): string {
    return this.#append({ ...reply, ...this.#identity });
  }

  withSentCalls(body: Json): Json {
    const calls = this.#sentItems.filter((item) => itemCall(item) !== undefined);
    return calls.length === 0 ? body : { ...body, input: [...inputOf(body), ...calls] };
  }

  /** Appends the items of a reply and ends the response. */
  #append(reply: Json): string {
    const out: string[] = [];
    const emit = this.#emitter(out);
    if (this.#begun === undefined)
      emit('response.created', { response: { ...reply, status: 'in_progress', output: [] } });
    this.#close(emit);
    const items = objects(reply['output']);
    const first = items.findIndex(({ type }) => type === 'message');
    if (first !== -1 && this.#hasText) items[first] = separatedItem(items[first] ?? {});
    for (const item of items) {
      const index = this.#nextOutput;
      this.#nextOutput += 1;
      writeItem(item, index, emit);
    }
    const end = reply['status'] === 'completed' ? 'response.completed' : 'response.incomplete';
    emit(end, { response: { ...reply, output: [...this.#sentItems, ...items] } });
    return out.join('');
  }

  /** Closes the item that the client has received in part. */
  #close(emit: (type: string, more: Json) => void): void {
    const open = this.#open;
    this.#open = undefined;
    if (open !== undefined) this.#sentItems.push(open.close(emit));
  }
}

/** The message with a break before its text. */
function separatedItem(item: Json): Json {
  const [first, ...rest] = objects(item['content']);
  return first === undefined ? item : { ...item, content: [separatedPart(first), ...rest] };
}

function separatedPart(part: Json): Json {
  return part['type'] === 'output_text' ? { ...part, text: `${BREAK}${text(part['text']) ?? ''}` } : part;
}

/** Streams a complete item. */
function writeItem(item: Json, index: number, emit: (type: string, more: Json) => void): void {
  const target = { item_id: item['id'], output_index: index };
  const begun = { ...item, status: 'in_progress' };
  if (item['type'] === 'message') {
    emit('response.output_item.added', { output_index: index, item: { ...begun, content: [] } });
    objects(item['content']).forEach((part, at) => {
      const where = { ...target, content_index: at };
      const isText = typeof part['text'] === 'string';
      const isRefusal = typeof part['refusal'] === 'string';
      const start = { ...part, ...(isText && { text: '' }), ...(isRefusal && { refusal: '' }) };
      emit('response.content_part.added', { ...where, part: start });
      if (isRefusal) {
        emit('response.refusal.delta', { ...where, delta: part['refusal'] });
        emit('response.refusal.done', { ...where, refusal: part['refusal'] });
      }
      if (isText) {
        emit('response.output_text.delta', { ...where, delta: part['text'], logprobs: [] });
        emit('response.output_text.done', { ...where, text: part['text'], logprobs: [] });
      }
      emit('response.content_part.done', { ...where, part });
    });
  } else if (item['type'] === 'function_call') {
    emit('response.output_item.added', { output_index: index, item: { ...begun, arguments: '' } });
    emit('response.function_call_arguments.delta', { ...target, delta: item['arguments'] });
    emit('response.function_call_arguments.done', {
      ...target,
      name: item['name'],
      arguments: item['arguments'],
    });
  } else emit('response.output_item.added', { output_index: index, item: begun });
  emit('response.output_item.done', { output_index: index, item });
}
