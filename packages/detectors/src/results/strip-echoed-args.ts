import { valuesIn } from './said-values.ts';

/** The text of a call: its tool's name and its canonical arguments, or the beginning of these. */
export interface CallText {
  readonly name: string;
  readonly said: string;
  /** Index of its event in the session. */
  readonly at?: number;
  /** Whether its tool returns text written by others: a file, a page, a list of hits. */
  readonly reads?: boolean;
  /** Whether it runs a command or a program, and whether that only reads. */
  readonly runs?: boolean;
  readonly looks?: boolean;
  /** Whether it operates a user interface, whose answers echo places. */
  readonly gui?: boolean;
  /** Whether its tool exists to change something. */
  readonly edits?: boolean;
  /** Whether it may be meant to return another value each time; asked of few calls. */
  readonly draws?: () => boolean;
  /** Whether it lists what it finds in an order that says nothing; asked of results with several lines. */
  readonly isUnordered?: () => boolean;
  /** What the session's harness writes around results. */
  readonly frames?: { without(text: string, call: CallText): string };
}

/** Placeholder for text that a result echoes from the call. */
export const ECHO = '\u0001';
/** Minimum length of a value that is searched for anywhere in a text. */
const MIN_ANYWHERE = 3;

/**
 * White space around an echo: the search uses trimmed values, and a text may or may not keep their outer white space.
 */
const AROUND = /(?<=["'`]) \u0001|\u0001 (?=["'`])/g;

const QUOTES = '"\'`\u201c\u201d\u2018\u2019';
const BETWEEN = `\\s${QUOTES}()[\\]{}<>,;\\u0001`;
/** A token between white space, quotes and brackets that is quoted, or has what tells a path or a number from a word. */
const TOKEN = new RegExp(
  `(?<=[${QUOTES}])[^${BETWEEN}]+(?=[${QUOTES}])|(?<![^${BETWEEN}])[^${BETWEEN}\\d\\\\/]*[\\d\\\\/][^${BETWEEN}]*`,
  'g',
);
/** Punctuation after a token. */
const PUNCTUATION = /(?<![.:!?])[.:!?]+$/;
const NUMBER = /^\d+(?:\.\d+)?$/;
const NUMBERS = /\d+(?:\.\d+)?/g;
/** A word with digits, such as `sdk==1.1`. */
const VERSION = /^(?=.*\d).{4}/;
/** An address in front of the number of a port. */
const HOST = /^[\d.:]+:/;
const SLASH = /[\\/]/;
const PATH = /^(?:[A-Za-z]:)?[\w.@~+-]*[\\/]/;

/**
 * Removes what a result echoes of the call: arguments that occur verbatim, and quoted names, paths and numbers taken
 * from them; in an error also words with digits. Differences that remain are new information.
 */
export function withoutEcho(text: string, { name, said }: CallText, isError = false): string {
  const values = valuesIn(said);
  values.push(name);
  let rest = text;
  for (const value of values.filter(({ length }) => length >= MIN_ANYWHERE).sort(longestFirst))
    rest = rest.replaceAll(value, ECHO);
  if (rest.includes(ECHO)) rest = rest.replace(AROUND, ECHO);
  const words = values.join('\n');
  let numbers: ReadonlySet<string> | undefined;
  const isQuote = (index: number) => QUOTES.includes(rest.charAt(index) || ' ');
  return rest.replace(TOKEN, (token: string, at: number) => {
    const isQuoted = isQuote(at - 1) && isQuote(at + token.length);
    const word = token.replace(PUNCTUATION, '');
    let isEcho = (isQuoted || (isError && VERSION.test(word))) && words.includes(word);
    const number = isError ? word.replace(HOST, '') : word;
    if (NUMBER.test(number)) isEcho = (numbers ??= new Set(words.match(NUMBERS))).has(number);
    else if (PATH.test(word)) {
      const last = lastName(word);
      // A name as short as `a` occurs in any text, so it must be a whole name in the arguments.
      isEcho =
        last.length < MIN_ANYWHERE ? values.some((value) => lastName(value) === last) : words.includes(last);
    }
    return isEcho ? ECHO + token.slice(word.length) : token;
  });
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** `b.txt` of `/srv/a/b.txt`, because tools expand paths. */
function lastName(path: string): string {
  return path.split(SLASH).findLast((name) => name !== '') ?? '';
}
