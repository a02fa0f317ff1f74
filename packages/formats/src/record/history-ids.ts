import type { Message } from './message.ts';
import type { PartId } from './message-events.ts';
import type { SeenAnswer } from './seen-answers.ts';
import { textId } from './text-id.ts';

/** The ids of the messages and parts of one history, computed in order. */
export class HistoryIds {
  #chain: string;
  readonly #hasStableArgs: boolean;
  readonly #uses = new Map<string, number>();
  /** Ids of calls by others that a history has for them. */
  readonly #known = new Map<string, string | null>();
  readonly #scope: string;

  /** @param scope tells the conversation apart from others of its session, which may number their calls in the same way */
  constructor(seed: string, hasStableArgs: boolean, scope = '') {
    this.#scope = scope;
    this.#chain = `${seed}${scope}`;
    this.#hasStableArgs = hasStableArgs;
  }

  /** Identifies the messages so far. */
  get chain(): string {
    return this.#chain;
  }

  /** The next message is another form of one that was seen, whose calls may have other ids, or none. */
  continueAfter({ id, callIds }: SeenAnswer, message: Message): void {
    this.#chain = id;
    if (message.role !== 'assistant') return;
    for (const [i, call] of message.calls.entries())
      if (call.id !== null) this.#known.set(call.id, callIds[i] ?? null);
  }

  /** A message with the ids by which the calls were reported. */
  withKnownCalls(message: Message): Message {
    if (message.role !== 'tool' || this.#known.size === 0) return message;
    const known = (id: string | null) => (id === null ? undefined : this.#known.get(id));
    const results = message.results.map((result) => {
      const id = known(result.id);
      return id === undefined ? result : { ...result, id };
    });
    return { ...message, results };
  }

  /** The id of the next message: a hash of this message and of all before it. */
  message(message: Message): string {
    this.#chain = textId(`${this.#chain}\n${JSON.stringify(identityOf(message, this.#hasStableArgs))}`);
    return this.#chain;
  }

  /** The id of a call or result event. Call ids can repeat, because some producers number calls per message. */
  readonly part: PartId = (kind, id, fallback) => {
    if (id === null) return fallback;
    const name = `${kind}:${id}${this.#scope}`;
    const uses = (this.#uses.get(name) ?? 0) + 1;
    this.#uses.set(name, uses);
    return uses === 1 ? name : `${name}:${String(uses)}`;
  };

  /** Counts the call ids of a message that was reported before, perhaps in another form. */
  skip(message: Message, same: SeenAnswer | undefined): void {
    if (message.role === 'assistant')
      for (const id of same?.callIds ?? message.calls.map((call) => call.id)) this.part('call', id, '');
    if (message.role === 'tool') for (const { id } of message.results) this.part('result', id, '');
  }
}

/** The identity of a message, without time, usage and cost, which a history does not repeat. */
function identityOf({ time: _, ...message }: Message, hasStableArgs: boolean): unknown {
  if (message.role !== 'assistant') return message;
  const { role, text = '', calls } = message;
  const ids = calls.map(({ id }) => id);
  if (!hasStableArgs && ids.length > 0 && !ids.includes(null)) return { role, ids };
  // A history may leave them out.
  if (!hasStableArgs && text !== '') return { role, text };
  return { role, text, calls };
}
