import type { Json } from './conversation.ts';
import { count, isObject, objects, text } from './json.ts';

/** The input of a Responses request as items; a string is a user message. */
export function inputOf({ input }: Json): Json[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : objects(input);
}

/** The kinds of item parts, by the event that starts one. */
const partKinds = {
  'response.content_part.added': {
    index: 'content_index',
    list: 'content',
    done: 'response.content_part.done',
  },
  'response.reasoning_summary_part.added': {
    index: 'summary_index',
    list: 'summary',
    done: 'response.reasoning_summary_part.done',
  },
} as const;
type PartKind = (typeof partKinds)[keyof typeof partKinds];

/** The event that ends the text of a part, by type of the part. */
const textEnds = new Map([
  ['output_text', 'response.output_text.done'],
  ['summary_text', 'response.reasoning_summary_text.done'],
  ['reasoning_text', 'response.reasoning_text.done'],
]);

interface OpenPart {
  readonly kind: PartKind;
  readonly index: number;
  readonly part: Json;
  text: string;
}

/** An item that the client has received in part: it must be closed before anything else is sent. */
export class OpenItem {
  readonly #item: Json;
  readonly #outputIndex: number;
  readonly #lists: Record<PartKind['list'], Json[]> = { content: [], summary: [] };
  #open: OpenPart | undefined;

  constructor(item: Json, outputIndex: number) {
    this.#item = item;
    this.#outputIndex = outputIndex;
  }

  /** Notes an event that was sent to the client. */
  markSent(event: Json): void {
    const type = text(event['type']) ?? '';
    const { part, delta } = event;
    const kind = Object.hasOwn(partKinds, type) ? partKinds[type as keyof typeof partKinds] : undefined;
    if (kind !== undefined && isObject(part))
      this.#open = { kind, index: count(event[kind.index]) ?? 0, part, text: text(part['text']) ?? '' };
    else if (this.#open === undefined) return;
    else if (type === this.#open.kind.done) {
      if (isObject(part)) this.#lists[this.#open.kind.list].push(part);
      this.#open = undefined;
    } else if (type.endsWith('.delta')) this.#open.text += text(delta) ?? '';
  }

  /** Closes the item in its current state. @returns the item as the client then has it */
  close(emit: (type: string, more: Json) => void): Json {
    const item = this.#item;
    const outputIndex = this.#outputIndex;
    const open = this.#open;
    const lists = this.#lists;
    if (open !== undefined) {
      const { kind, index, text: partText } = open;
      const part: Json = { ...open.part, text: partText };
      const target = { item_id: item['id'], output_index: outputIndex, [kind.index]: index };
      const end = textEnds.get(text(part['type']) ?? '');
      const isAnswer = part['type'] === 'output_text';
      if (end !== undefined) emit(end, { ...target, text: partText, ...(isAnswer && { logprobs: [] }) });
      emit(kind.done, { ...target, part });
      lists[kind.list].push(part);
      this.#open = undefined;
    }
    const done = {
      ...item,
      ...('status' in item && { status: 'incomplete' }),
      ...('content' in item && { content: lists.content }),
      ...('summary' in item && { summary: lists.summary }),
    };
    emit('response.output_item.done', { output_index: outputIndex, item: done });
    return done;
  }
}
