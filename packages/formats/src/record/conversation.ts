import { type AnswerKeys, isContinued, keysOf, textFacts } from './answer-keys.ts';
import type { SessionEvent, Stamp } from './format.ts';
import { HistoryIds } from './history-ids.ts';
import type { AssistantMessage, Message, UserMessage } from './message.ts';
import { eventsOf } from './message-events.ts';
import { remember } from './remember.ts';
import { type SeenAnswer, SeenAnswers } from './seen-answers.ts';

/** Conversations to remember. The messages of a forgotten one are reported again, with the same event ids. */
const MAX_CONVERSATIONS = 1000;

/**
 * Turns growing histories into events: each request repeats all earlier messages, and only the new ones become events.
 * Event ids are hashes of the message and of those before it, so a history counts once even if another process has
 * already reported its beginning.
 */
export class Conversations {
  readonly #hasStableArgs: boolean;
  /** Messages by session, with whether their usage was reported. */
  readonly #seen = new Map<string, Map<string, boolean>>();
  readonly #answers: SeenAnswers;

  /**
   * @param options.hasStableArgs whether histories repeat the arguments of a call exactly as the response contained them;
   * if not, responses are identified by the ids of their calls
   * @param options.answers those that other readers have seen, too
   */
  constructor({
    hasStableArgs = true,
    answers = new SeenAnswers(),
  }: { readonly hasStableArgs?: boolean; readonly answers?: SeenAnswers } = {}) {
    this.#hasStableArgs = hasStableArgs;
    this.#answers = answers;
  }

  /**
   * The events of the new messages in a history. System messages have none: they can change between requests.
   *
   * @param seed identifies a history that lacks the start of the conversation
   */
  read(messages: readonly Message[], stamp: Stamp, seed = ''): SessionEvent[] {
    const seen = this.#seenIn(stamp.sessionId);
    const ids = new HistoryIds(seed, this.#hasStableArgs);
    const entries = this.#entriesOf(messages, ids, seen, stamp.sessionId);
    // What stands before a message that was read is old, even if the history was cut or edited since.
    const old = entries.findLastIndex(({ same }) => same !== undefined);
    const events: SessionEvent[] = [];
    for (const [i, { message, id, same }] of entries.entries()) {
      const hasUsage = message.role === 'assistant' && (message.usage ?? message.costUsd) !== undefined;
      const known = seen.get(id) ?? (same !== undefined || (i < old && message.role === 'user') || undefined);
      seen.set(id, hasUsage || known === true);
      if (known === undefined) events.push(...eventsOf(message, id, ids.part, stamp));
      else ids.skip(message, same);
      // A history that came before the response has no usage.
      if (known === false && hasUsage) {
        const { usage, costUsd } = message;
        events.push({ ...stamp, id: `${id}.usage`, type: 'turn_finished', usage, costUsd });
      }
    }
    return events;
  }

  /** The messages with their ids, and with the answer that each is in another form. */
  #entriesOf(
    messages: readonly Message[],
    ids: HistoryIds,
    seen: ReadonlyMap<string, boolean>,
    sessionId: string,
  ): Entry[] {
    const last = messages.findLastIndex(({ role }) => role !== 'system');
    // What follows the last answer of the history is new, and so is the answer to it.
    const latest = messages.findLastIndex(({ role }, i) => role === 'assistant' && i !== last);
    const used = new Set<string>();
    return messages.flatMap((given, i): Entry[] => {
      if (given.role === 'system') return [];
      const before = `${sessionId}\n${ids.chain}`;
      const message = ids.withKnownCalls(given);
      const id = ids.message(message);
      if (message.role === 'tool' || message.role === 'system') return [{ message, id }];
      if (seen.has(id)) {
        used.add(id);
        return [{ message, id }];
      }
      const keys = keysOf(message, sessionId, before);
      const found =
        i > latest ? undefined : (this.#sameAs(keys, used) ?? this.#continuedIn(message, keys, used));
      const same = found?.id === id ? undefined : found;
      used.add(same?.id ?? id);
      if (same === undefined) {
        const callIds = message.role === 'user' ? [] : message.calls.map((call) => call.id);
        const answer = { id, callIds, text: textFacts(message.text ?? '') };
        if (keys.own !== undefined) this.#answers.add(keys.own, answer);
        // Only answers are sure to name their calls as the model did.
        if (i === last && message.role === 'assistant')
          for (const key of [...keys.likenesses, keys.place]) this.#answers.add(key, answer);
        return [{ message, id }];
      }
      ids.continueAfter(same, message);
      return [{ message, id: same.id, same }];
    });
  }

  /** @param used ids of the messages before, none of which it can be */
  #sameAs(
    { own, likenesses: [likeness = ''] }: AnswerKeys,
    used: ReadonlySet<string>,
  ): SeenAnswer | undefined {
    if (own === undefined || !this.#answers.has(own)) {
      const alike = this.#answers.find(likeness);
      return alike === undefined || used.has(alike.id) ? undefined : alike;
    }
    const answer = this.#answers.find(own);
    if (answer === undefined || !used.has(answer.id)) return answer;
    this.#answers.share(own);
    return undefined;
  }

  #continuedIn(
    message: AssistantMessage | UserMessage,
    { place }: AnswerKeys,
    used: ReadonlySet<string>,
  ): SeenAnswer | undefined {
    const answer = message.role === 'user' ? undefined : this.#answers.find(place);
    const isSame = answer !== undefined && message.role !== 'user' && isContinued(answer, message);
    return isSame && !used.has(answer.id) ? answer : undefined;
  }

  #seenIn(sessionId: string): Map<string, boolean> {
    const seen = this.#seen.get(sessionId) ?? new Map<string, boolean>();
    remember(this.#seen, sessionId, seen, MAX_CONVERSATIONS);
    return seen;
  }
}

interface Entry {
  readonly message: Message;
  readonly id: string;
  readonly same?: SeenAnswer;
}
