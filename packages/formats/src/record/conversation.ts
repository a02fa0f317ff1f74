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
  /** Messages by conversation, with whether their usage was reported. */
  readonly #seen = new Map<string, Map<string, boolean>>();
  readonly #answers: SeenAnswers;
  /** Of sessions whose records name no conversation: the scope of each history by its end, and that of the latest. */
  readonly #ends = new Map<string, string>();
  readonly #latest = new Map<string, string>();

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
    return this.#read(messages, stamp, new HistoryIds(seed, this.#hasStableArgs), stamp.sessionId);
  }

  /**
   * Like {@link read}, for records that name no conversation: a history that neither continues an earlier one nor has an answer of the
   * latest is another one, though it may begin with the same prompt, as the rows of a data set do.
   */
  readUnnamed(messages: readonly Message[], stamp: Stamp): SessionEvent[] {
    const { sessionId } = stamp;
    const plain = new HistoryIds(sessionId, true);
    const ids = messages.filter(({ role }) => role !== 'system').map((message) => plain.message(message));
    const before = ids.findLast((id) => this.#ends.has(id));
    const latest = this.#latest.get(sessionId);
    const isOfLatest = messages.some((message) => this.#isAnswerOf(`${sessionId}${latest ?? ''}`, message));
    const isOther = latest !== undefined && before === undefined && !isOfLatest;
    const scope = isOther ? `#${plain.chain}` : ((before && this.#ends.get(before)) ?? latest ?? '');
    remember(this.#ends, plain.chain, scope, MAX_CONVERSATIONS);
    remember(this.#latest, sessionId, scope, MAX_CONVERSATIONS);
    const own = new HistoryIds('', this.#hasStableArgs, scope);
    return this.#read(messages, stamp, own, `${sessionId}${scope}`);
  }

  #isAnswerOf(conversation: string, message: Message): boolean {
    const own = message.role === 'assistant' ? keysOf(message, conversation, '').own : undefined;
    return own !== undefined && this.#answers.has(own);
  }

  #read(messages: readonly Message[], stamp: Stamp, ids: HistoryIds, conversation: string): SessionEvent[] {
    const seen = this.#seenIn(conversation);
    const entries = this.#entriesOf(messages, ids, seen, conversation);
    // What stands before a message that was read is old, even if the history was cut or edited since.
    const old = entries.findLastIndex(({ same }) => same !== undefined);
    const events: SessionEvent[] = [];
    for (const [i, { message, id, same }] of entries.entries()) {
      const hasUsage = message.role === 'assistant' && (message.usage ?? message.costUsd) !== undefined;
      const known = seen.get(id) ?? (same !== undefined || (i < old && isAnonymous(message)) || undefined);
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
    conversation: string,
  ): Entry[] {
    const last = messages.findLastIndex(({ role }) => role !== 'system');
    // What follows the last answer of the history is new, and so is the answer to it.
    const latest = messages.findLastIndex(({ role }, i) => role === 'assistant' && i !== last);
    const used = new Set<string>();
    let before: string | undefined;
    let inOrder: ReadonlyMap<number, SeenAnswer> | undefined;
    const find = (i: number) => {
      inOrder ??= this.#answers.order.match(conversation, messages, { first: i, last: latest, before });
      return inOrder.get(i);
    };
    return messages.flatMap((given, i): Entry[] => {
      if (given.role === 'system') return [];
      const place = `${conversation}\n${ids.chain}`;
      const message = ids.withKnownCalls(given);
      const id = ids.message(message);
      if (message.role === 'tool' || message.role === 'system') return [{ message, id }];
      if (seen.has(id)) {
        used.add(id);
        if (message.role === 'assistant') before = id;
        return [{ message, id }];
      }
      const keys = keysOf(message, conversation, place);
      const found =
        i > latest
          ? undefined
          : (this.#sameAs(keys, used) ??
            this.#continuedIn(message, keys, used) ??
            (message.role === 'assistant' && keys.own === undefined ? find(i) : undefined));
      const same = found?.id === id ? undefined : found;
      used.add(same?.id ?? id);
      if (message.role === 'assistant') before = same?.id ?? id;
      if (same === undefined) {
        const callIds = message.role === 'user' ? [] : message.calls.map((call) => call.id);
        const answer = { id, callIds, text: textFacts(message.text ?? '') };
        if (keys.own !== undefined) this.#answers.add(keys.own, answer);
        if (message.role === 'assistant') this.#answers.order.add(conversation, message, answer);
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

  #seenIn(conversation: string): Map<string, boolean> {
    const seen = this.#seen.get(conversation) ?? new Map<string, boolean>();
    remember(this.#seen, conversation, seen, MAX_CONVERSATIONS);
    return seen;
  }
}

/** Whether nothing but its place tells a message apart. */
function isAnonymous(message: Message): boolean {
  return (
    message.role === 'user' || (message.role === 'tool' && message.results.every(({ id }) => id === null))
  );
}

interface Entry {
  readonly message: Message;
  readonly id: string;
  readonly same?: SeenAnswer;
}
