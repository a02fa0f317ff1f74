/** Levels of arrays and objects in one event: 10,000 of arguments, and room for the event around them. */
export const MAX_LEVELS = 10_100;
/** Members of all arrays and objects in one event. */
export const MAX_PARTS = 100_000;
/** UTF-16 code units in one piece of answer or reasoning. */
export const MAX_TEXT_UNITS = 5 * 1024 * 1024;

const quote = 0x22;
const comma = 0x2c;
const backslash = 0x5c;

/**
 * What makes an event too heavy: a single one is worked on in one go, while everything else waits.
 *
 * @param json need not be valid
 * @param maxParts members of all arrays and objects, at most
 * @returns `undefined` where there is nothing to be said against it
 */
export function excessOf(json: string, maxParts = MAX_PARTS): string | undefined {
  // As many brackets as levels, and as many more to close them.
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

/** Where the closing quote stands: the next one before which there is an even number of backslashes. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0;
    while (at - 1 - escapes >= start && json.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return json.length;
}
