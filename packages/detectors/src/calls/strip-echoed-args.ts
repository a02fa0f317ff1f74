/** The text of a call: its tool's name and its canonical arguments, or the beginning of these. */
export interface CallText {
  readonly name: string;
  readonly said: string;
  /** Whether its tool returns text written by others: a file, a page, a list of hits. */
  readonly reads?: boolean;
  /** Whether it runs a command or a program, and whether that only reads. */
  readonly runs?: boolean;
  readonly looks?: boolean;
}

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
// biome-ignore lint/suspicious/noControlCharactersInRegex: the control character marks an echo.
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
export function withoutEcho(text: string, { name, said: canonical }: CallText): string {
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
export function stringsIn(canonical: string): string[] {
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
  const values = new Set(stringsIn(canonical).map(collapsed));
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
