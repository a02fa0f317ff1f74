import { messagesFrom, readMessage } from '@loopwatch/formats/wire';
import type { Steps } from '../in-slices.ts';
import { boundedCall, boundedText, boundedValue } from './bounded.ts';
import type { Item, Json } from './conversation.ts';
import { isObject, objects, remembered } from './json.ts';

/** Of reading an element, in the units of {@link Steps}. */
const ELEMENT_COST = 500;

type Message = ReturnType<typeof messagesFrom>[number];

/** A user message with tool results is part of the turn; its other texts are read one by one, as several may have written them. */
const messagesIn = remembered((element: Json): readonly Message[] =>
  readMessage(element).flatMap((message) => (isBeside(message) ? textsBeside(element) : message)),
);

function isBeside(message: Message): boolean {
  return message.role === 'user' && message.origin === 'harness';
}

function textsBeside({ content, parts }: Json): Message[] {
  return objects(content ?? parts).flatMap(({ text }) =>
    typeof text === 'string' && text !== '' ? [{ role: 'user', text, origin: 'harness' }] : [],
  );
}

const itemsOf = remembered((message: Message): readonly Item[] => {
  if (message.role === 'tool')
    return message.results.map(({ id, result, isError }) => ({
      role: 'result',
      callId: id,
      result: boundedValue(result),
      ...(isError !== undefined && { isError }),
    }));
  if (message.role === 'assistant')
    return [
      { role: 'assistant', text: boundedText(message.text ?? ''), calls: message.calls.map(boundedCall) },
    ];
  return [{ role: isBeside(message) ? 'note' : message.role, text: boundedText(message.text) }];
});

/** Reads the elements of a history, so that {@link historyItems} has only to compose the items. */
export function* readElements(list: unknown): Steps<void> {
  if (!Array.isArray(list)) return;
  // Elements known from an earlier request were read with it, and so were all before them.
  const known = list.findLastIndex((element) => isObject(element) && read.has(element));
  for (const element of list.slice(known + 1)) {
    if (!isObject(element)) continue;
    read.add(element);
    yield messagesIn(element)
      .flatMap(itemsOf)
      .reduce((cost, item) => cost + textUnits(item), ELEMENT_COST);
  }
}

const read = new WeakSet<object>();

function textUnits(item: Item): number {
  if (item.role !== 'result') return item.text.length;
  return typeof item.result === 'string' ? item.result.length : 0;
}

/** What was read of a history. */
interface ReadHistory {
  readonly elements: readonly Json[];
  readonly messages: readonly Message[];
  readonly items: readonly Item[];
}

const NOTHING: ReadHistory = { elements: [], messages: [], items: [] };

/** By the last element of a history, which tells conversations with the same beginning apart. */
const latest = new WeakMap<object, ReadHistory>();

/** The items of a request's history. Only what follows the history of an earlier request is read. */
export function historyItems(list: unknown): readonly Item[] {
  const elements = objects(list);
  const before = continuedBy(elements);
  const known = before.messages.length;
  const messages = messagesFrom(elements.slice(before.elements.length), messagesIn, before.messages);
  const isJoined = messages[known - 1] !== before.messages[known - 1];
  const items = isJoined
    ? messages.flatMap(itemsOf)
    : [...before.items, ...messages.slice(known).flatMap(itemsOf)];
  const last = elements.at(-1);
  if (last !== undefined) latest.set(last, { elements, messages, items });
  return items;
}

/** Takes the earlier history that these elements continue. */
function continuedBy(elements: readonly Json[]): ReadHistory {
  const last = elements.findLast((element) => latest.has(element));
  const known = last && latest.get(last);
  if (last === undefined || known === undefined) return NOTHING;
  // It would grow with each request: the next one continues this one.
  latest.delete(last);
  return known.elements.every((element, i) => element === elements[i]) ? known : NOTHING;
}
