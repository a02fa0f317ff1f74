import { collapseSpaces, unitAt } from './text-units.ts';

/** Maximum argument values to search for. */
const MAX_VALUES = 32;
const NUMBERS = /\d+(?:\.\d+)?/g;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** All strings in the arguments, at any depth; of truncated arguments, the complete ones. */
export function stringsIn(canonical: string): string[] {
  return isJson(canonical) ? partsOf(canonical).strings : [canonical];
}

/** The strings and numbers in the arguments that a result may echo, with collapsed white space, as in compared results. */
export function valuesIn(canonical: string): string[] {
  const values = new Set<string>();
  if (isJson(canonical)) {
    const { strings, rest } = partsOf(canonical);
    for (const value of strings) values.add(collapseSpaces(value));
    for (const number of rest.match(NUMBERS) ?? []) values.add(number);
  } else values.add(collapseSpaces(canonical));
  values.delete('');
  return [...values].slice(0, 2 * MAX_VALUES);
}

function isJson(canonical: string): boolean {
  return canonical.startsWith('{') || canonical.startsWith('[') || canonical.startsWith('"');
}

/** The first distinct strings that are not keys, and the remaining text without strings and keys. */
function partsOf(canonical: string): { strings: string[]; rest: string } {
  const values = new Set<string>();
  let rest = '';
  let from = 0;
  let open = canonical.indexOf('"');
  while (open !== -1) {
    const close = endOfString(canonical, open + 1);
    // If a string has no end, none of the quotes inside it starts another string.
    if (unitAt(canonical, close) !== QUOTE) {
      open = canonical.indexOf('"', close);
      continue;
    }
    const next = afterColon(canonical, close + 1);
    // A key comes from the tool's schema, not from the call.
    if (next === close + 1 && values.size < MAX_VALUES)
      values.add(unescaped(canonical.slice(open + 1, close)));
    rest += canonical.slice(from, open);
    from = next;
    open = canonical.indexOf('"', from);
  }
  return { strings: [...values], rest: rest + canonical.slice(from) };
}

/** The quote that ends a string, or where it is cut off. */
function endOfString(text: string, start: number): number {
  let at = start;
  for (; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    if (unit === BACKSLASH) {
      at += 1;
      // JSON escapes line breaks; other text may not.
      if (isLineBreak(unitAt(text, at))) return at;
    }
  }
  return at;
}

function isLineBreak(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x2028 || unit === 0x2029;
}

/** The position after white space and a colon; unchanged if there is no colon. */
function afterColon(text: string, end: number): number {
  let at = end;
  while (/\s/.test(text.charAt(at))) at += 1;
  return text.charAt(at) === ':' ? at + 1 : end;
}

function unescaped(inner: string): string {
  if (!inner.includes('\\')) return inner;
  try {
    return String(JSON.parse(`"${inner}"`));
  } catch {
    return inner;
  }
}
