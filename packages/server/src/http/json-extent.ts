/** Length, depth and size of a JSON value, found without parsing it: a value that is too complex need not be parsed. */
export interface Extent {
  /** Offset after the value, or where scanning stopped. */
  readonly end: number;
  /** Whether every bracket was closed. */
  readonly closed: boolean;
  readonly depth: number;
  readonly values: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Scans one value that begins at `start`, up to the comma or bracket after it, or up to `end`.
 *
 * @param max where to stop scanning
 */
export function extentOf(
  bytes: Buffer,
  start: number,
  end: number,
  max: { readonly depth: number; readonly values: number } = UNLIMITED,
): Extent {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let at = start;
  for (; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at, end);
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (deepest > max.depth) break;
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      if (depth === 0) break;
      depth -= 1;
    } else if (byte === COMMA) {
      if (depth === 0) break;
      values += 1;
      if (values > max.values) break;
    }
  }
  return { end: Math.min(at, end), closed: depth === 0 && at <= end, depth: deepest, values };
}

const UNLIMITED = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

/** Offset of the closing quote; `end` when there is none. */
function endOfString(bytes: Buffer, start: number, end: number): number {
  for (let at = bytes.indexOf(QUOTE, start + 1); at !== -1 && at < end; at = bytes.indexOf(QUOTE, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return end;
}
