import { MAX_TOKENS } from '@loopwatch/contract';
import type { Json, SessionNames } from './conversation.ts';

/** Parses a text that should be a JSON object. @returns undefined where it is none */
export function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as a list of objects; what is none is left out. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A text that says something. */
export function named(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, 512) : null;
}

/** A call's arguments: an object, or the text that the model wrote. */
export function argsOf(value: unknown): Json | string {
  return isObject(value) ? value : (text(value) ?? '');
}

/** Without tools there is nothing to choose, and APIs refuse a choice. */
export function hasTools(body: Json): boolean {
  return Array.isArray(body['tools']) && body['tools'].length > 0;
}

/** What names the session in a request's body. OpenAI's `user` does not: it names a person. */
export function sessionNames(body: Json): SessionNames {
  const { metadata, conversation } = body;
  return {
    session: isObject(metadata) ? sessionIn(metadata) : null,
    cacheKey: named(body['prompt_cache_key']),
    conversation: isObject(conversation) ? named(conversation['id']) : named(conversation),
  };
}

function sessionIn(metadata: Json): string | null {
  const { session_id: session, conversation_id: conversation, thread_id: thread, user_id: user } = metadata;
  return named(session) ?? named(conversation) ?? named(thread) ?? claudeCodeSession(user);
}

/** Claude Code puts its session into the id of its user: as JSON, or at the end of a text. */
function claudeCodeSession(user: unknown): string | null {
  if (typeof user !== 'string') return null;
  const json = user.startsWith('{') ? parseObject(user) : undefined;
  return json === undefined ? named(/_session_([\w-]+)$/.exec(user)?.[1]) : named(json['session_id']);
}

/** Tokens as an upstream says them: what an event cannot carry is taken for not said. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= MAX_TOKENS ? value : null;
}

/** An object with the numbers of two, summed at every depth: what two answers used. */
export function summed(one: Json | null, other: Json | null): Json | null {
  if (one === null || other === null) return one ?? other;
  const sums = Object.entries(other).map(([key, value]): [string, unknown] => {
    const before = one[key];
    if (typeof value === 'number' && typeof before === 'number') return [key, before + value];
    if (isObject(value) && isObject(before)) return [key, summed(before, value)];
    return [key, value ?? before];
  });
  return { ...one, ...Object.fromEntries(sums) };
}

/** What an answer, or an event of one, says that it used. */
export function usageOf({ usage }: Json): Json | null {
  return isObject(usage) ? usage : null;
}

/**
 * A tool result that says that the limit is reached; one that is not a JSON object becomes `{"output": …}` first.
 *
 * @param result the result's text, or its value
 */
export function limitedResult(result: unknown, message: string): string {
  const object = typeof result === 'string' ? parseObject(result) : isObject(result) ? result : undefined;
  return JSON.stringify({ ...(object ?? { output: result }), limit_reached: true, limit_message: message });
}

/** Replaces the last element that a test accepts. */
export function replaceLast<T>(
  list: readonly T[],
  test: (element: T) => boolean,
  edit: (element: T) => T,
): T[] {
  const at = list.findLastIndex(test);
  return at === -1 ? [...list] : list.with(at, edit(list[at] as T));
}

/** The object without some of its keys. */
export function without(object: Json, ...keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)));
}
