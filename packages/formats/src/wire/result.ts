import { isObject, joinedText, objectOf } from '../record/json.ts';
import { textId } from '../record/text-id.ts';

/** Longer texts in a result beside text are the bytes of an image or file. */
const MAX_TEXT_UNITS = 2_048;
/** Levels of a result that are read. */
const MAX_DEPTH = 32;
const encoded = /^(?:data:[^,]{1,200},)?[\w+/=-]+$/;

/** Joins a result that only consists of text parts; replaces images and files in any other by short ids of theirs. */
export function plainResult(value: unknown): unknown {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  const isTexts = Array.isArray(value) && value.every((part) => typeof objectOf(part)['text'] === 'string');
  return isTexts ? joinedText(value) : withoutBytes(value);
}

function withoutBytes(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return '';
  if (typeof value === 'string')
    return value.length > MAX_TEXT_UNITS && encoded.test(value) ? `bytes:${textId(value)}` : value;
  if (Array.isArray(value)) return value.map((inner) => withoutBytes(inner, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withoutBytes(inner, depth + 1)]),
  );
}
