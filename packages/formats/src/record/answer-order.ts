import { unwrapped } from './json.ts';
import type { AssistantMessage, Message } from './message.ts';
import { remember } from './remember.ts';
import { textId } from './text-id.ts';

const MAX_CONVERSATIONS = 200;
/** Longer than the histories that models are given. */
const MAX_ANSWERS = 1000;

const MAX_UNRECORDED = 3;

interface Ordered<T> {
  readonly form: string;
  readonly answer: T;
}

/**
 * The answers of conversations in order. They tell the messages of a history apart whose calls have no ids, as in Gemini's API, and
 * whose earlier messages differ from those before: it was cut, or begins with the time of the request.
 */
export class AnswerOrder<T extends { readonly id: string }> {
  readonly #orders = new Map<string, readonly Ordered<T>[]>();

  /** Notes an answer, unless another reader has; of conversations whose calls have ids, there is no need to. */
  add(conversation: string, message: AssistantMessage, answer: T): void {
    const order = this.#orders.get(conversation) ?? [];
    if (order.length === 0 && !message.calls.some(({ id }) => id === null)) return;
    if (order.some((one) => one.answer.id === answer.id)) return;
    const longer = [...order, { form: formOf(message), answer }].slice(-MAX_ANSWERS);
    remember(this.#orders, conversation, longer, MAX_CONVERSATIONS);
  }

  /**
   * Which answers the messages of a history are, by their index: the latest ones in the same order, from the first message that was
   * not found otherwise. A few of the last can be new, if their own requests were not recorded.
   *
   * @param first index of that message
   * @param last index of the last answer in the history
   * @param before id of the answer before the first, if the history has it
   */
  match(
    conversation: string,
    messages: readonly Message[],
    {
      first,
      last,
      before,
    }: { readonly first: number; readonly last: number; readonly before: string | undefined },
  ): ReadonlyMap<number, T> {
    const order = this.#orders.get(conversation) ?? [];
    const answers = messages
      .map((message, i) => ({ message, i }))
      .slice(first, last + 1)
      .flatMap(({ message, i }) => (message.role === 'assistant' ? [{ i, form: formOf(message) }] : []));
    for (let size = answers.length; size > 0 && size >= answers.length - MAX_UNRECORDED; size -= 1) {
      const start = order.length - size;
      const isAfter = before === undefined || start === 0 || order[start - 1]?.answer.id === before;
      const known = answers.slice(0, size).map(({ i, form }, at) => [i, order[start + at], form] as const);
      if (isAfter && known.every(([, one, form]) => one?.form === form))
        return new Map(known.flatMap(([i, one]) => (one === undefined ? [] : [[i, one.answer]])));
    }
    return new Map();
  }
}

function formOf({ text = '', calls }: AssistantMessage): string {
  return textId(JSON.stringify([text.trim(), calls.map(({ name, args }) => [name, unwrapped(args)])]));
}
