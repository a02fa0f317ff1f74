import { jsonFrom } from '@loopwatch/contract';
import { collapseSpaces } from './text-units.ts';

/** Maximum argument values to search for. */
const MAX_VALUES = 32;
const NUMBERS = /\d+(?:\.\d+)?/g;
/** A string, up to where it is cut off: none of the quotes inside it starts another. */
const STRING = /"((?:[^"\\]|\\.)*)("(\s*:)?)?/g;

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
  const rest = canonical.replace(
    STRING,
    (whole: string, inner: string, end: string | undefined, colon: string | undefined) => {
      if (end === undefined) return whole;
      // A key comes from the tool's schema, not from the call.
      if (colon === undefined && values.size < MAX_VALUES) values.add(unescaped(inner));
      return '';
    },
  );
  return { strings: [...values], rest };
}

function unescaped(inner: string): string {
  const value = inner.includes('\\') ? jsonFrom(`"${inner}"`) : inner;
  return typeof value === 'string' ? value : inner;
}
