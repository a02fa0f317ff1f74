import { messagesFrom, readMessage } from '@loopwatch/formats/wire';
import type { Item } from './conversation.ts';
import { objects, remembered } from './json.ts';

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
      result,
      ...(isError !== undefined && { isError }),
    }));
  if (message.role === 'assistant')
    return [{ role: 'assistant', text: message.text ?? '', calls: message.calls }];
  return [message];
});

/** The items of a request's history. Each element is read once, since a request repeats those of the one before it. */
export function historyItems(list: unknown): Item[] {
  return messagesFrom(objects(list), messagesIn).flatMap(itemsOf);
}
