import { unwrapped } from './json.ts';
import type { AssistantMessage, UserMessage } from './message.ts';
import type { SeenAnswer } from './seen-answers.ts';
import { textId } from './text-id.ts';

/** Shorter answers, such as that all is done, may be given again. */
const MIN_TELLING_UNITS = 20;

/** What identifies a message beside its id. */
export interface AnswerKeys {
  /** Its calls with their ids, or else its text; undefined if neither tells it apart. */
  readonly own: string | undefined;
  /**
   * The messages before it, with its text and calls, or its text alone: some histories name calls otherwise, or leave them out. That of a
   * message in a history is the first.
   */
  readonly likenesses: readonly string[];
  /** The messages before an answer. */
  readonly place: string;
}

/** What identifies an answer or a prompt. @param before identifies the session and the messages before it */
export function keysOf(
  message: AssistantMessage | UserMessage,
  sessionId: string,
  before: string,
): AnswerKeys {
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
    place: textId(before),
    likenesses: role === 'user' ? [] : forms.map((form) => textId(`${before}\n${JSON.stringify(form)}`)),
  };
}

/** What identifies the text of an answer, without the space around it. */
export function textFacts(text: string): SeenAnswer['text'] {
  const said = text.trim();
  return { units: said.length, id: textId(said) };
}

/**
 * Whether a message without calls is an answer with something added, as agents do that write calls as text, or end a block of code.
 * It stands where the answer stood.
 */
export function isContinued(
  { text: said, callIds }: SeenAnswer,
  { text = '', calls }: AssistantMessage,
): boolean {
  if (calls.length > 0) return false;
  const hasCalls = callIds.length > 0 && callIds.every((id) => id !== null && text.includes(id));
  return hasCalls || (said.units > 0 && textId(text.trimStart().slice(0, said.units)) === said.id);
}
