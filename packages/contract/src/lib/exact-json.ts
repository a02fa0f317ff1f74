/** What begins or ends a string, an escape in it, or a number. Matched one by one, a long string needs no stack. */
const TOKEN = /\\.|"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

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
  let isInString = false;
  return text.replace(TOKEN, (token) => {
    if (token === '"') isInString = !isInString;
    const isExact = isInString || /[".eE]/.test(token) || Number.isSafeInteger(Number(token));
    return isExact ? token : `"${token}"`;
  });
}
