import type { Message } from './message.ts';
import { remember } from './remember.ts';

/** Sessions to remember. */
const MAX_SESSIONS = 1000;

interface Asked {
  readonly trace: string | undefined;
  /** Texts of the prompts of the latest request with a new one. */
  readonly texts: readonly string[];
}

/**
 * Finds a person's prompts in the requests to models that a trace records: a new one ends the first request of a trace, or the history
 * of an earlier one continued. What else ends a request is the task of a sub-agent, or the growing prompt of an agent that works with
 * plain text.
 */
export class NewPrompts {
  readonly #asked = new Map<string, Asked>();

  /**
   * The text of the new prompt; undefined if the request has none.
   *
   * @param trace undefined if the producer does not say
   */
  in(messages: readonly Message[], sessionId: string, trace: string | undefined): string | undefined {
    const texts = messages.flatMap((message) => (message.role === 'user' ? [message.text] : []));
    const last = messages.findLast(({ role }) => role !== 'system');
    const before = this.#asked.get(sessionId);
    const isFirst = before === undefined || (trace !== undefined && trace !== before.trace);
    const isLonger = before !== undefined && texts.length > before.texts.length;
    const isContinued = isLonger && before.texts.every((text, i) => text === texts[i]);
    const isNew = last?.role === 'user' && (isFirst || isContinued);
    if (isFirst || isNew) remember(this.#asked, sessionId, { trace, texts }, MAX_SESSIONS);
    return isNew ? texts.at(-1) : undefined;
  }
}
