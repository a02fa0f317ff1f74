/**
 * Tolerant readers of parsed JSON. A producer's record may lack anything or hold something else in its place; a reader then
 * answers `undefined`, or an empty object or list, and never throws.
 */

export type JsonObject = Readonly<Record<string, unknown>>;

const empty: JsonObject = {};

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : empty;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text that says something. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A count or an amount; some producers write numbers as texts. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** What a text of JSON says; the text itself where it is none. */
export function unwrapped(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** A date-time without an offset, as Python writes it, is taken for UTC. */
const withoutOffset = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
/** Later seconds lie behind the year 5138, earlier milliseconds before 1973. */
const secondsBelow = 1e11;
const nanosFrom = 1e17;
const microsFrom = 1e14;

/** Epoch ms of a date-time, or of a number of seconds, milliseconds, microseconds or nanoseconds. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'string' && withoutOffset.test(value)) return timeOf(`${value.replace(' ', 'T')}Z`);
  const number = numberOf(value);
  if (number !== undefined) {
    if (number <= 0) return undefined;
    if (number >= nanosFrom) return number / 1e6;
    if (number >= microsFrom) return number / 1e3;
    return number < secondsBelow ? number * 1e3 : number;
  }
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** The text of a message: a string, or the texts of its parts. */
export function joinedText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => (typeof part === 'string' ? part : (textOf(objectOf(part)['text']) ?? '')))
    .filter((text) => text !== '')
    .join('\n');
}
