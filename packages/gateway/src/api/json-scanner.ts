/*
 * Finds the elements of a list in the bytes of a JSON text. The text must be valid JSON; otherwise the result is
 * arbitrary.
 */

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const BACKSLASH = 92;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** The offset after the `[` of the list with this key in the outermost object; undefined if there is none. */
export function historyStart(raw: Buffer, key: string): number | undefined {
  let at = afterSpace(raw, 0);
  if (raw[at] !== OPEN_OBJECT) return undefined;
  do {
    at = afterSpace(raw, at + 1);
    if (raw[at] !== QUOTE) return undefined;
    const end = endOfString(raw, at);
    const isFound = raw.toString('latin1', at + 1, end - 1) === key;
    at = afterSpace(raw, end);
    if (raw[at] !== COLON) return undefined;
    at = afterSpace(raw, at + 1);
    if (isFound && raw[at] === OPEN_LIST) return at + 1;
    at = afterSpace(raw, endOfValue(raw, at));
  } while (raw[at] === COMMA);
  return undefined;
}

/**
 * The next element of a list.
 *
 * @param from the offset after the previous element, or after the list's `[`
 * @returns its offsets, without `end` if the list's `]` follows instead; undefined if the element is not an object
 */
export function nextElement(
  raw: Buffer,
  from: number,
  isFirst: boolean,
): { readonly at: number; readonly end?: number } | undefined {
  let at = afterSpace(raw, from);
  if (raw[at] === CLOSE_LIST) return { at };
  if (!isFirst) {
    if (raw[at] !== COMMA) return undefined;
    at = afterSpace(raw, at + 1);
  }
  if (raw[at] !== OPEN_OBJECT) return undefined;
  return { at, end: endOfValue(raw, at) };
}

function afterSpace(raw: Buffer, from: number): number {
  let at = from;
  for (let byte = raw[at]; byte === 32 || byte === 10 || byte === 13 || byte === 9; byte = raw[at]) at += 1;
  return at;
}

function endOfValue(raw: Buffer, from: number): number {
  let depth = 0;
  for (let at = from; at < raw.length; at += 1) {
    const byte = raw[at];
    if (byte === QUOTE) {
      at = endOfString(raw, at) - 1;
      if (depth === 0) return at + 1;
    } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
      // A number or a name ends before the bracket around it.
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === COMMA && depth === 0) return at;
  }
  return raw.length;
}

/** @param from the offset of the opening quote */
function endOfString(raw: Buffer, from: number): number {
  for (let at = from + 1; at < raw.length; at += 1) {
    const byte = raw[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at += 1;
  }
  return raw.length;
}
