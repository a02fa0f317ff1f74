import { messagesFrom, readMessage } from '@loopwatch/formats/wire';
import type { Steps } from '../in-slices.ts';
import { boundedCall, boundedText, boundedValue } from './bounded.ts';
import type { Item } from './conversation.ts';
import { isObject, objects, remembered } from './json.ts';

/** Of reading an element, in the units of {@link Steps}. */
const ELEMENT_COST = 500;

type Message = ReturnType<typeof messagesFrom>[number];

/** A user message with tool results is part of the turn; its other text is ignored. */
const messagesIn = remembered((element: object): readonly Message[] => {
  const messages = readMessage(element);
  return messages.some(({ role }) => role === 'tool')
    ? messages.filter(({ role }) => role !== 'user')
    : messages;
});

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
  return [{ ...message, text: boundedText(message.text) }];
});

/** Reads the elements of a history, so that {@link historyItems} has only to compose the items. */
export function* readElements(list: unknown): Steps<void> {
  if (!Array.isArray(list)) return;
  for (const element of list) {
    // What was read with an earlier request costs next to nothing.
    if (!isObject(element) || read.has(element)) continue;
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

/** The items of a request's history. Each element is read once, since a request repeats those of the one before it. */
export function historyItems(list: unknown): Item[] {
  return messagesFrom(objects(list), messagesIn).flatMap(itemsOf);
}
