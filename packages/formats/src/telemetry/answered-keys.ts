import type { AssistantMessage, Message } from '../record/message.ts';
import { textId } from '../record/text-id.ts';

/** What identifies the messages of a request up to the last answer in it. */
export function historyKeys(input: readonly Message[]): string[] {
  return answeredKeys(input.slice(0, input.findLastIndex(({ role }) => role === 'assistant') + 1));
}

/** What identifies messages that end with an answer: with the ids of its calls, and without them, because some histories leave them out. */
export function answeredKeys(messages: readonly Message[]): string[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  const said = messages.flatMap((message) => (message.role === 'system' ? [] : [contentOf(message)]));
  const ids = idsOf(last);
  const whole = ids.length === 0 ? [] : [textId(JSON.stringify([said, ids]))];
  const isTelling = ids.length === 0 || (last.text ?? '').trim() !== '';
  return isTelling ? [...whole, textId(JSON.stringify(said))] : whole;
}

function contentOf(message: Message): unknown {
  if (message.role === 'tool') return message.results.map(({ id, result }) => [id, result]);
  return [message.role, (message.text ?? '').trim()];
}

function idsOf({ calls }: AssistantMessage): readonly string[] {
  return calls.flatMap(({ id }) => id ?? []);
}
