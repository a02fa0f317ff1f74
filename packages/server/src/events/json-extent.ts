/** How far a JSON text reaches and how much it holds, found without parsing it, so that parsing can be refused. */
export interface Extent {
  /** Behind the value, or where scanning stopped. */
  readonly end: number;
  /** Whether all that was opened was closed. */
  readonly closed: boolean;
  readonly depth: number;
  readonly values: number;
}

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Scans one value from `start` on, up to the comma or bracket behind it, or up to `end`.
 *
 * @param most where to give up: what is deeper or has more values is refused anyway
 */
export function extentOf(
  bytes: Buffer,
  start: number,
  end: number,
  most: { readonly depth: number; readonly values: number } = everything,
): Extent {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let at = start;
  for (; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at, end);
    } else if (byte === openBrace || byte === openBracket) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (deepest > most.depth) break;
    } else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) break;
      depth -= 1;
    } else if (byte === comma) {
      if (depth === 0) break;
      values += 1;
      if (values > most.values) break;
    }
  }
  return { end: Math.min(at, end), closed: depth === 0 && at <= end, depth: deepest, values };
}

const everything = { depth: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

/** Where the quote is that ends a string; `end` without one. */
function endOfString(bytes: Buffer, start: number, end: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at !== -1 && at < end; at = bytes.indexOf(quote, at + 1)) {
    let escapes = 0;
    while (bytes[at - 1 - escapes] === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return end;
}
