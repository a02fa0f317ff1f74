import { exactJson, MAX_TOKENS } from '@loopwatch/contract';

/*
 * Tolerant access to parsed JSON. A producer's record can lack any field or contain another type; these functions then
 * return undefined, or an empty object or list, and never throw.
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

/** A string that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * A name for any value, such as a type. Unlike `String`, it never throws: JSON can hold an object whose `toString` is no
 * function.
 */
export function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? 'object' : String(value);
}

/** A finite number; some producers write numbers as strings. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A number of tokens; undefined if it is out of the range of events. */
export function tokensOf(value: unknown): number | undefined {
  const tokens = numberOf(value);
  return tokens !== undefined && tokens >= 0 && tokens <= MAX_TOKENS ? tokens : undefined;
}

/** The value of a string of JSON; any other value unchanged. */
export function unwrapped(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return exactJson(value);
  } catch {
    return value;
  }
}

/** A date-time without an offset, as Python writes it, counts as UTC. */
const withoutOffset = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;
/** Numbers below are seconds (up to the year 5138), others milliseconds (from 1973). */
const SECONDS_BELOW = 1e11;
const NANOS_FROM = 1e17;
const MICROS_FROM = 1e14;

/** Converts a date-time, or an epoch in seconds, milliseconds, microseconds or nanoseconds, to epoch ms. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'string' && withoutOffset.test(value)) return timeOf(`${value.replace(' ', 'T')}Z`);
  const number = numberOf(value);
  if (number !== undefined) {
    if (number <= 0) return undefined;
    if (number >= NANOS_FROM) return number / 1e6;
    if (number >= MICROS_FROM) return number / 1e3;
    return number < SECONDS_BELOW ? number * 1e3 : number;
  }
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? undefined : parsed;
}

/** The text of a message: a string, or the joined texts of its parts. */
export function joinedText(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((part) => (typeof part === 'string' ? part : (textOf(objectOf(part)['text']) ?? '')))
    .filter((text) => text !== '')
    .join('\n');
}
