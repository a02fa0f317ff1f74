import { type AnswerMode, type Conversation, conversation, smallConversation } from './conversations.ts';

const CONVERSATIONS = 8;
let sessions = 0;
const known = new Map<string, Conversation>();

/** One session of an agent: asks for the next step with each call. */
export class Session {
  readonly length: number;
  readonly #number: number;
  readonly #id: string;
  readonly #conversation: Conversation;

  /** @param messages the average number of messages in a request; 2: a short question */
  constructor(messages: number) {
    sessions += 1;
    this.#id = `session-${String(sessions)}`;
    this.#number = messages === 2 ? -1 : sessions % CONVERSATIONS;
    const key = `${String(this.#number)}/${String(messages)}`;
    this.#conversation =
      known.get(key) ?? (messages === 2 ? smallConversation() : conversation(this.#number, messages));
    known.set(key, this.#conversation);
    this.length = this.#conversation.length;
  }

  /** The request after `step` further steps; the first, 0, shows where the session begins. */
  request(
    step: number,
    mode: AnswerMode,
  ): [body: readonly Buffer[], headers: Readonly<Record<string, string>>] {
    const shown = this.#conversation.from + step;
    return [
      this.#conversation.body(shown, this.#id, mode !== 'whole'),
      { 'x-session-id': this.#id, 'x-answer': `${String(this.#number)}/${String(shown)}/${mode}` },
    ];
  }
}
