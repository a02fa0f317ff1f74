/** What a call says: its tool's name and its canonical arguments, or the beginning of these. */
export interface CallText {
  readonly name: string;
  readonly said: string;
  /** Whether its tool gives back text that it did not write: a file, a page, a list of hits. */
  readonly reads?: boolean;
  /** Whether it runs a command or a program, and whether that only looks. */
  readonly runs?: boolean;
  readonly looks?: boolean;
}

/** Stands for what a result says only because the call said it. */
const ECHO = '\u0001';
/** Values of the arguments that are looked for, longest first, and the least that is looked for anywhere in a text. */
const MAX_VALUES = 32;
const MIN_ANYWHERE = 3;

/** Values are looked for without the white space that they begin and end with: a text may have it, or not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it stands for an echo.
const AROUND = /(?<=["'`]) \u0001|\u0001 (?=["'`])/g;

const QUOTE = /["'`\u201c\u201d\u2018\u2019]/;
/** What stands between white space, quotes and brackets. */
const TOKEN = /[^\s"'`\u201c\u201d\u2018\u2019()[\]{}<>,;\u0001]+/g;
const NUMBER = /^\d+(?:\.\d+)?$/;
const NUMBERS = /\d+(?:\.\d+)?/g;
const PATH = /^(?:[A-Za-z]:)?[\w.@~+-]*[\\/][^\s]*$/;
const STRING = /"((?:[^"\\]|\\.)*)"(\s*:)?/g;

/**
 * A result without what it repeats of the call: arguments that stand in it word for word, and names in quotes, paths
 * and numbers that come from them. What still differs is new information.
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

/** The texts among the arguments, however deep; of arguments that were cut, those that are whole. */
export function stringsIn(canonical: string): string[] {
  if (!/^[[{"]/.test(canonical)) return [canonical];
  const values = new Set<string>();
  for (const [, inner = '', colon] of canonical.matchAll(STRING)) {
    // A key is the tool's word, not the call's.
    if (colon === undefined) values.add(unescaped(inner));
    if (values.size === MAX_VALUES) break;
  }
  return [...values];
}

/** The texts and numbers among the arguments, as a result may repeat them. */
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

/** Results are compared with their white space collapsed. */
function collapsed(value: string): string {
  return value.replace(/\s+/g, ' ').trim();
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** `b.txt` of `/srv/a/b.txt`: tools complete the paths that they are given. */
function lastName(path: string): string {
  return (
    path
      .replace(/(?<![\\/])[\\/]+$/, '')
      .split(/[\\/]/)
      .at(-1) ?? path
  );
}

/** Whether the arguments speak of it; so little as `a` is in every text, so that it has to be a name there, too. */
function names(last: string, said: string, values: readonly string[]): boolean {
  return last.length < MIN_ANYWHERE ? values.some((value) => lastName(value) === last) : said.includes(last);
}

function isQuoted(text: string, at: number, length: number): boolean {
  return QUOTE.test(text[at - 1] ?? '') && QUOTE.test(text[at + length] ?? '');
}
