import { exactJson } from '@loopwatch/contract';
import type { Json, SessionNames } from './conversation.ts';

/** @returns undefined if the text is not a JSON object */
export function parseObject(text: string): Json | undefined {
  try {
    const value: unknown = exactJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads each object once: a request repeats the elements of the one before it. */
export function remembered<O extends object, T>(read: (object: O) => T): (object: O) => T {
  const known = new WeakMap<O, T>();
  return (object) => {
    let result = known.get(object);
    if (result === undefined) {
      result = read(object);
      known.set(object, result);
    }
    return result;
  };
}

/** The objects in an array; empty for any other value. */
export function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A non-blank name, truncated. */
export function named(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, 512) : null;
}

/** Whether an answer has to be JSON in this format: clients parse any text of it, but no refusal. */
export function isJsonFormat(format: unknown): boolean {
  return isObject(format) && (format['type'] === 'json_schema' || format['type'] === 'json_object');
}

/** APIs reject a tool choice in requests without tools. */
export function hasTools(body: Json): boolean {
  return Array.isArray(body['tools']) && body['tools'].length > 0;
}

/** Names of the session in a request body. OpenAI's `user` is not one: it names a person. */
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

/** Claude Code puts its session into `user_id`: as JSON, or at the end of the text. */
function claudeCodeSession(user: unknown): string | null {
  if (typeof user !== 'string') return null;
  const json = user.startsWith('{') ? parseObject(user) : undefined;
  return json === undefined ? named(/_session_([\w-]+)$/.exec(user)?.[1]) : named(json['session_id']);
}

/** A number of things, such as an index. */
export function count(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 ? value : null;
}

/** Adds the numbers of two objects at every depth: the usage of two replies. */
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

/** The usage in a reply, or in an event of one. */
export function usageOf(reply: Json, key = 'usage'): Json | null {
  const usage = reply[key];
  return isObject(usage) ? usage : null;
}

/**
 * Adds the reached limit to a tool result; one that is not a JSON object becomes `{"output": …}` first.
 *
 * @param result the result's text, or its value
 */
export function limitedResult(result: unknown, message: string): string {
  const object = typeof result === 'string' ? parseObject(result) : isObject(result) ? result : undefined;
  return JSON.stringify({ ...(object ?? { output: result }), limit_reached: true, limit_message: message });
}

/** Edits the last element that passes a test. */
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
