/** Nesting depth of an event: 10,000 levels of arguments, plus the event around them. */
export const MAX_LEVELS = 10_100;
/** Members of all arrays and objects in an event. */
export const MAX_PARTS = 100_000;
/** UTF-16 code units of one `content` or `thought` event. */
export const MAX_TEXT_UNITS = 5 * 1024 * 1024;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/**
 * Checks whether an event is too complex. An event is processed synchronously, so a large one would block others.
 *
 * @param json need not be valid
 * @returns the limit it exceeds, as a message, or undefined
 */
export function exceededLimit(json: string, maxParts = MAX_PARTS): string | undefined {
  // A shorter text cannot exceed the depth: each level takes two brackets.
  if (json.length < 2 * MAX_LEVELS) return undefined;
  let levels = 0;
  let parts = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === quote) {
      at = endOfString(json, at + 1);
    } else if (code === comma) {
      parts += 1;
      if (parts > maxParts) return `it has more than ${maxParts.toLocaleString('en-US')} values`;
    } else if (isBracket(code, 0x5b, 0x7b)) {
      levels += 1;
      if (levels > MAX_LEVELS)
        return `it is nested more than ${MAX_LEVELS.toLocaleString('en-US')} levels deep`;
    } else if (isBracket(code, 0x5d, 0x7d)) {
      levels -= 1;
    }
  }
  return undefined;
}

function isBracket(code: number, square: number, curly: number): boolean {
  return code === square || code === curly;
}

/** Index of the closing quote: the next one after an even number of backslashes. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - 1 - escapes >= start && json.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}
