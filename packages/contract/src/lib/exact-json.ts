const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Parses JSON. An integer beyond 2^53 becomes a string of its digits: as numbers, two ids of a service that counts so far
 * (`1212345678901234001`) would be equal.
 *
 * @throws SyntaxError
 */
export function exactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return holdsInexact(value) ? JSON.parse(withQuotedIntegers(text)) : value;
}

/** Whether a parsed value has an integer that may stand for several. Looking at numbers takes less time than at the text. */
export function holdsInexact(value: unknown): boolean {
  const stack: object[] = [[value]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop())
    for (const part of Array.isArray(next) ? (next as unknown[]) : (Object.values(next) as unknown[]))
      if (typeof part === 'object' && part !== null) stack.push(part);
      else if (typeof part === 'number' && Math.abs(part) > Number.MAX_SAFE_INTEGER) return true;
  return false;
}

function withQuotedIntegers(text: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('"', at);
    const end = open === -1 ? text.length : open;
    parts.push(text.slice(at, end).replace(NUMBER, quotedIfLong));
    at = open === -1 ? end : endOfString(text, open);
    parts.push(text.slice(end, at));
  }
  return parts.join('');
}

function quotedIfLong(number: string): string {
  const isExact = /[.eE]/.test(number) || Number.isSafeInteger(Number(number));
  return isExact ? number : `"${number}"`;
}

/** The index behind the string that begins here. */
function endOfString(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close !== -1 && isEscaped(text, close)) close = text.indexOf('"', close + 1);
  return close === -1 ? text.length : close + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text[first - 1] === '\\') first -= 1;
  return (quote - first) % 2 === 1;
}
