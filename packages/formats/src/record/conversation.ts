import type { SessionEvent, Stamp } from './format.ts';
import { type JsonObject, unwrapped } from './json.ts';
import { remember } from './remember.ts';
import { type SeenAnswer, SeenAnswers } from './seen-answers.ts';
import { textId } from './text-id.ts';

/** A tool call that a model requests. */
export interface ToolCall {
  readonly id: string | null;
  readonly name: string;
  /** An object, or the raw text from the model. */
  readonly args: JsonObject | string;
  /** Whether the record leaves them out: two such calls need not be the same. */
  readonly hasUnknownArgs?: boolean;
}

/** The result of a tool call. */
export interface ToolResult {
  /** Id of the call. */
  readonly id: string | null;
  readonly result: unknown;
  /** Undefined if the API does not say; the result itself may. */
  readonly isError?: boolean | undefined;
}

export type Usage = NonNullable<Extract<SessionEvent, { type: 'turn_finished' }>['usage']>;

/** A message of a conversation, independent of the API. Its time is in epoch ms; undefined if it is that of its record. */
export type Message = { readonly time?: number | undefined } & (
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string; readonly origin?: 'harness' | undefined }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[] }
  | {
      readonly role: 'assistant';
      readonly thought?: string | undefined;
      readonly text?: string | undefined;
      readonly calls: readonly ToolCall[];
      readonly usage?: Usage | undefined;
      readonly costUsd?: number | undefined;
    }
);

/** Conversations to remember. The messages of a forgotten one are reported again, with the same event ids. */
const MAX_CONVERSATIONS = 1000;
/** Sessions whose messages get ids from all before them; those of a forgotten one get them as from its start. */
const MAX_HISTORIES = 10_000;

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
      const found = i > latest ? undefined : this.#sameAs(keys, used);
      const same = found?.id === id ? undefined : found;
      used.add(same?.id ?? id);
      if (same === undefined) {
        const callIds = message.role === 'user' ? [] : message.calls.map((call) => call.id);
        const answer = { id, callIds };
        if (keys.own !== undefined) this.#answers.add(keys.own, answer);
        // Only answers are sure to name their calls as the model did.
        if (i === last) for (const likeness of keys.likenesses) this.#answers.add(likeness, answer);
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

  #seenIn(sessionId: string): Map<string, boolean> {
    const seen = this.#seen.get(sessionId) ?? new Map<string, boolean>();
    remember(this.#seen, sessionId, seen, MAX_CONVERSATIONS);
    return seen;
  }
}

/**
 * Turns the messages of a log, each of which is written once, into events. The ids of events derive from those of the records,
 * which copies of a log share, or else from all messages before.
 */
export class MessageLog {
  readonly #histories = new Map<string, HistoryIds>();

  /** @param recordId id of the record that holds the messages */
  read(messages: readonly Message[], stamp: Stamp, recordId: string | undefined): SessionEvent[] {
    const history = this.#histories.get(stamp.sessionId) ?? new HistoryIds('', true);
    remember(this.#histories, stamp.sessionId, history, MAX_HISTORIES);
    return messages
      .filter(({ role }) => role !== 'system')
      .flatMap((message, i) =>
        recordId === undefined
          ? eventsOf(message, history.message(message), history.part, stamp)
          : eventsOf(message, i === 0 ? recordId : `${recordId}/${String(i)}`, fallbackId, stamp),
      );
  }
}

interface Entry {
  readonly message: Message;
  readonly id: string;
  readonly same?: SeenAnswer;
}

/** Shorter answers, such as that all is done, may be given again. */
const MIN_TELLING_UNITS = 20;

/** What identifies a message beside its id. */
interface AnswerKeys {
  /** Its calls with their ids, or else its text; undefined if neither tells it apart. */
  readonly own: string | undefined;
  /**
   * The messages before it, with its text and calls, or its text alone: some histories name calls otherwise, or leave them out. That of a
   * message in a history is the first.
   */
  readonly likenesses: readonly string[];
}

function keysOf(message: AssistantMessage | UserMessage, sessionId: string, before: string): AnswerKeys {
  const { role, text = '' } = message;
  const calls = role === 'user' ? [] : message.calls;
  const callIds = calls.flatMap(({ id }) => id ?? []);
  const withCalls = calls.map(({ name, args }) => [name, unwrapped(args)]);
  const forms = calls.length === 0 ? [[text]] : [[text, withCalls], [text]];
  const isTelling = calls.length === 0 && text.length >= (role === 'user' ? 1 : MIN_TELLING_UNITS);
  // Some producers number calls per answer, so that ids alone do not tell them apart.
  const own = callIds.length > 0 ? [callIds, withCalls] : isTelling ? text : undefined;
  return {
    own: own && textId(JSON.stringify([sessionId, role, own])),
    likenesses: role === 'user' ? [] : forms.map((form) => textId(`${before}\n${JSON.stringify(form)}`)),
  };
}

type UserMessage = Extract<Message, { role: 'user' }>;

type AssistantMessage = Extract<Message, { role: 'assistant' }>;

type PartId = (kind: 'call' | 'result', id: string | null, fallback: string) => string;

function fallbackId(_kind: unknown, _id: unknown, fallback: string): string {
  return fallback;
}

/** The ids of the messages and parts of one history, computed in order. */
class HistoryIds {
  #chain: string;
  readonly #hasStableArgs: boolean;
  readonly #uses = new Map<string, number>();
  /** Ids of calls by others that a history has for them. */
  readonly #known = new Map<string, string | null>();

  constructor(seed: string, hasStableArgs: boolean) {
    this.#chain = seed;
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
    const name = `${kind}:${id}`;
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

/** @param partId id of the event of a call or result, with an id that suits if its own does not */
function eventsOf(message: Message, id: string, partId: PartId, record: Stamp): SessionEvent[] {
  if (message.role === 'system') return [];
  const stamp = message.time === undefined ? record : { ...record, time: message.time };
  if (message.role === 'user') {
    const { text, origin } = message;
    return [{ ...stamp, id, type: 'prompt_started', text, origin }];
  }
  if (message.role === 'tool')
    return message.results.map(({ id: callId, result, isError }, i) => ({
      ...stamp,
      id: partId('result', callId, `${id}.${String(i)}`),
      type: 'tool_result',
      callId: callId ?? undefined,
      result,
      isError,
    }));
  const { thought, text, calls, usage, costUsd } = message;
  const events: SessionEvent[] = [{ ...stamp, id, type: 'turn_started' }];
  if (thought !== undefined) events.push({ ...stamp, id: `${id}.thought`, type: 'thought', text: thought });
  if (text !== undefined) events.push({ ...stamp, id: `${id}.text`, type: 'content', text });
  calls.forEach(({ id: callId, name, args, hasUnknownArgs = false }, i) => {
    const callEventId = partId('call', callId, `${id}.${String(i)}`);
    const given = typeof args === 'string' ? args : { ...args };
    events.push({
      ...stamp,
      id: callEventId,
      type: 'tool_call_request',
      callId: callId ?? undefined,
      name,
      ...(hasUnknownArgs ? { argsHash: callEventId } : { args: given }),
    });
  });
  events.push({ ...stamp, id: `${id}.end`, type: 'turn_finished', usage, costUsd });
  return events;
}
