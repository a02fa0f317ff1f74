import type { SessionEvent, Stamp } from './format.ts';
import { textId } from './text-id.ts';

/** One tool call of a message. */
export interface MessageCall {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>> | string;
}

/** One tool result of a message. */
export interface MessageResult {
  readonly id: string | undefined;
  readonly result: unknown;
  readonly isError?: boolean | undefined;
}

export type Usage = NonNullable<Extract<SessionEvent, { type: 'turn_finished' }>['usage']>;

/** A message of a conversation, whatever API it was written for. */
export type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'tool'; readonly results: readonly MessageResult[] }
  | {
      readonly role: 'assistant';
      readonly thought?: string | undefined;
      readonly text?: string | undefined;
      readonly calls: readonly MessageCall[];
      readonly usage?: Usage | undefined;
      readonly costUsd?: number | undefined;
    };

/** Conversations that are remembered; of an older one, known messages are told again, under the same ids. */
const MAX_CONVERSATIONS = 1000;

/**
 * Conversations that come as ever longer histories: each request repeats all messages before it. A message that was told is
 * not told again, and every event has an id made of what it says and where it stands, so that a history counts once even
 * where its beginning was told by another process.
 */
export class Conversations {
  readonly #callsHaveOneForm: boolean;
  readonly #told = new Map<string, Set<string>>();

  /**
   * @param options.callsHaveOneForm whether histories repeat the arguments of a call as the answer had them; else an answer whose
   * calls have ids is known by these
   */
  constructor({ callsHaveOneForm = true }: { readonly callsHaveOneForm?: boolean } = {}) {
    this.#callsHaveOneForm = callsHaveOneForm;
  }

  /**
   * The events of the messages that are new in this history.
   * @param seed tells it from others, where it does not begin with the conversation
   */
  read(messages: readonly Message[], stamp: Stamp, seed = ''): SessionEvent[] {
    const told = this.#toldOf(stamp.sessionId);
    const ids = new IdsOfHistory(seed, this.#callsHaveOneForm);
    const events: SessionEvent[] = [];
    for (const message of messages) {
      const id = ids.of(message);
      const isNew = !told.has(id);
      told.add(id);
      if (isNew) events.push(...eventsOf(message, id, ids, stamp));
      else ids.pass(message);
    }
    return events;
  }

  #toldOf(sessionId: string): Set<string> {
    const told = this.#told.get(sessionId) ?? new Set<string>();
    // The latest stand at the end.
    this.#told.delete(sessionId);
    this.#told.set(sessionId, told);
    if (this.#told.size > MAX_CONVERSATIONS) {
      const [oldest] = this.#told.keys();
      if (oldest !== undefined) this.#told.delete(oldest);
    }
    return told;
  }
}

/** Ids of the messages of one history, in their order. */
class IdsOfHistory {
  #chain: string;
  readonly #callsHaveOneForm: boolean;
  readonly #uses = new Map<string, number>();

  constructor(seed: string, callsHaveOneForm: boolean) {
    this.#chain = seed;
    this.#callsHaveOneForm = callsHaveOneForm;
  }

  /** A message with calls or results is known by these, which outlive a shortened history; another by all before it. */
  of(message: Message): string {
    this.#chain = textId(`${this.#chain}\n${JSON.stringify(keyOf(message, this.#callsHaveOneForm))}`);
    return this.#chain;
  }

  /** The id of a call or a result. Some producers count calls from 1 in each message, so that ids repeat. */
  part(kind: 'call' | 'result', id: string | undefined, fallback: string): string {
    if (id === undefined) return fallback;
    const name = `${kind}:${id}`;
    const uses = (this.#uses.get(name) ?? 0) + 1;
    this.#uses.set(name, uses);
    return uses === 1 ? name : `${name}:${String(uses)}`;
  }

  /** Counts the ids of a message that was told before. */
  pass(message: Message): void {
    if (message.role === 'assistant') for (const { id } of message.calls) this.part('call', id, '');
    if (message.role === 'tool') for (const { id } of message.results) this.part('result', id, '');
  }
}

/** What tells one message from another: usage and cost come with the answer, not with the history. */
function keyOf(message: Message, callsHaveOneForm: boolean): unknown {
  if (message.role !== 'assistant') return message;
  const { role, text = '', calls } = message;
  const ids = calls.map(({ id }) => id);
  if (!callsHaveOneForm && ids.length > 0 && !ids.includes(undefined)) return { role, ids };
  return { role, text, calls };
}

function eventsOf(message: Message, id: string, ids: IdsOfHistory, stamp: Stamp): SessionEvent[] {
  if (message.role === 'user') return [{ ...stamp, id, type: 'prompt_started', text: message.text }];
  if (message.role === 'tool')
    return message.results.map(({ id: callId, result, isError }, i) => ({
      ...stamp,
      id: ids.part('result', callId, `${id}.${String(i)}`),
      type: 'tool_result',
      callId,
      result,
      isError,
    }));
  const { thought, text, calls, usage, costUsd } = message;
  const events: SessionEvent[] = [{ ...stamp, id, type: 'turn_started' }];
  if (thought !== undefined) events.push({ ...stamp, id: `${id}.thought`, type: 'thought', text: thought });
  if (text !== undefined) events.push({ ...stamp, id: `${id}.text`, type: 'content', text });
  calls.forEach(({ id: callId, name, args }, i) => {
    const callEventId = ids.part('call', callId, `${id}.${String(i)}`);
    events.push({ ...stamp, id: callEventId, type: 'tool_call_request', callId, name, args });
  });
  events.push({ ...stamp, id: `${id}.end`, type: 'turn_finished', usage, costUsd });
  return events;
}
