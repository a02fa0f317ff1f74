import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalArguments } from '../../src/lib/canonical-json.ts';
import { stringsIn } from '../../src/results/said-values.ts';
import { type CallText, withoutEcho } from '../../src/results/strip-echoed-args.ts';

// The plain definition, by regular expressions.

/** Placeholder for text that a result echoes from the call. */
const ECHO = '\u0001';
/**
 * Maximum argument values to search for, longest first, and the minimum length of a value that is searched for
 * anywhere in a text.
 */
const MAX_VALUES = 32;
const MIN_ANYWHERE = 3;

/**
 * White space around an echo: values are searched for trimmed, and a text may or may not keep their outer white
 * space.
 */
const AROUND = /(?<=["'`]) \u0001|\u0001 (?=["'`])/g;

const QUOTE = /["'`\u201c\u201d\u2018\u2019]/;
/** A token between white space, quotes and brackets. */
const TOKEN = /[^\s"'`\u201c\u201d\u2018\u2019()[\]{}<>,;\u0001]+/g;
const NUMBER = /^\d+(?:\.\d+)?$/;
const NUMBERS = /\d+(?:\.\d+)?/g;
const PATH = /^(?:[A-Za-z]:)?[\w.@~+-]*[\\/][^\s]*$/;
const STRING = /"((?:[^"\\]|\\.)*)"(\s*:)?/g;

/**
 * Removes what a result echoes of the call: arguments that occur verbatim, and quoted names, paths and numbers taken
 * from them. Differences that remain are new information.
 */
function echoDefinition(text: string, { name, said: canonical }: CallText): string {
  const values = valuesOf(canonical);
  values.push(name);
  let rest = text;
  for (const value of values.filter(({ length }) => length >= MIN_ANYWHERE).toSorted(longestFirst))
    rest = rest.replaceAll(value, ECHO);
  rest = rest.replace(AROUND, ECHO);
  const said = values.join('\n');
  const numbers = new Set(said.match(NUMBERS));
  return rest.replace(TOKEN, (token, at: number) => {
    const word = token.replace(/(?<![.:!?])[.:!?]+$/, '');
    const isEcho = NUMBER.test(word)
      ? numbers.has(word)
      : PATH.test(word)
        ? names(lastName(word), said, values)
        : isQuoted(rest, at, token.length) && said.includes(word);
    return isEcho ? ECHO + token.slice(word.length) : token;
  });
}

/** All strings in the arguments, at any depth; of truncated arguments, the complete ones. */
function stringsDefinition(canonical: string): string[] {
  if (!/^[[{"]/.test(canonical)) return [canonical];
  const values = new Set<string>();
  for (const [, inner = '', colon] of canonical.matchAll(STRING)) {
    // A key comes from the tool's schema, not from the call.
    if (colon === undefined) values.add(unescaped(inner));
    if (values.size === MAX_VALUES) break;
  }
  return [...values];
}

/** The strings and numbers in the arguments that a result may echo. */
function valuesOf(canonical: string): string[] {
  const values = new Set(stringsDefinition(canonical).map(collapsed));
  if (/^[[{"]/.test(canonical))
    for (const number of canonical.replace(STRING, '').match(NUMBERS) ?? []) values.add(number);
  values.delete('');
  return [...values].slice(0, 2 * MAX_VALUES);
}

function unescaped(inner: string): string {
  try {
    return String(JSON.parse(`"${inner}"`));
  } catch {
    return inner;
  }
}

/** Collapses white space, as in compared results. */
function collapsed(value: string): string {
  return value.replace(/\s+/g, ' ').trim();
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** `b.txt` of `/srv/a/b.txt`: tools expand the paths they are given. */
function lastName(path: string): string {
  return (
    path
      .replace(/(?<![\\/])[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? path
  );
}

/** Whether the arguments mention the name; one as short as `a` occurs in any text, so it must be a whole name there. */
function names(last: string, said: string, values: readonly string[]): boolean {
  return last.length < MIN_ANYWHERE ? values.some((value) => lastName(value) === last) : said.includes(last);
}

function isQuoted(text: string, at: number, length: number): boolean {
  return QUOTE.test(text[at - 1] ?? '') && QUOTE.test(text[at + length] ?? '');
}

const words = [
  'a',
  'ab',
  'orders',
  '/srv/data/a.txt',
  './a.txt',
  'a.txt',
  'C:\\x\\b.ts',
  'b.ts',
  '17',
  '3.5',
  '500',
  'two words',
  'x\ny',
  'tab\there',
  'é',
  '\u2028',
];
const between = [
  ' ',
  '  ',
  '\n',
  '"',
  "'",
  '`',
  '“',
  '”',
  '‘',
  '’',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '<',
  '>',
  ',',
  ';',
  ':',
  '.',
  '!?',
  '\u0001',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '\\',
  '/',
  '\ud800',
  '…',
];
const text = (units: readonly string[]) =>
  fc
    .array(fc.oneof(fc.constantFrom(...units), fc.constantFrom(...between)), { maxLength: 16 })
    .map((parts) => parts.join(''));
const value = fc.oneof(fc.constantFrom(...words), text(words), fc.integer(), fc.double(), fc.constant(null));
const args = fc.oneof(
  fc.uniqueArray(fc.nat(1000).map(String), { minLength: 28, maxLength: 40 }),
  fc.dictionary(
    fc.constantFrom('path', 'q', 'old "x"', '7'),
    fc.oneof(value, fc.array(value, { maxLength: 40 })),
  ),
  text([...words, '{"a":"b', '["', '\\"', '\\\n', '":"', '" :', '1"x"2', '\\u0041', '\\']),
);
/** Canonical arguments, whole or cut anywhere. */
const said = fc
  .tuple(args, fc.nat(120))
  .map(([any, units]) => (units < 40 ? canonicalArguments(any).slice(0, units) : canonicalArguments(any)));

it('finds the strings in arguments, whole or truncated', () => {
  fc.assert(
    fc.property(said, (canonical) => {
      expect(stringsIn(canonical)).toEqual(stringsDefinition(canonical));
    }),
    { seed: 61, numRuns: 5000 },
  );
});

it('removes exactly what the reference definition calls an echo', () => {
  fc.assert(
    fc.property(text(words), said, fc.constantFrom('tool', 'a', 'ab'), (result, canonical, name) => {
      const call = { name, said: canonical };
      expect(withoutEcho(result, call)).toBe(echoDefinition(result, call));
    }),
    { seed: 62, numRuns: 10_000 },
  );
});
