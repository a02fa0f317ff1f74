import { valuesIn } from './said-values.ts';
import { isWideSpace, unitAt } from './text-units.ts';

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
  /** Whether it lists what it finds in an order that says nothing; asked of results with several lines or parts. */
  readonly isUnordered?: () => boolean;
}

/** Placeholder for text that a result echoes from the call. */
const ECHO = '\u0001';
/** Minimum length of a value that is searched for anywhere in a text. */
const MIN_ANYWHERE = 3;

/**
 * White space around an echo: the search uses trimmed values, and a text may or may not keep their outer white space.
 */
const AROUND = /(?<=["'`]) \u0001|\u0001 (?=["'`])/g;

const NUMBER = /^\d+(?:\.\d+)?$/;
const NUMBERS = /\d+(?:\.\d+)?/g;
/** Punctuation after a token. */
const PUNCTUATION = '.:!?';
const PATH = /^(?:[A-Za-z]:)?[\w.@~+-]*[\\/][^\s]*$/;

/** What a unit of a result is: white space, quotes and brackets separate tokens. */
const Unit = { separator: 1, quote: 2, slash: 4, letter: 8 } as const;
/** A number has none of the letters; digits and punctuation are no kind of their own. */
const UNITS = new Uint8Array(0x80).fill(Unit.letter);
for (const [units, kind] of [
  ['\t\n\v\f\r ()[]{}<>,;\u0001', Unit.separator],
  ['"\'`', Unit.separator | Unit.quote],
  ['\\/', Unit.slash],
  [`0123456789${PUNCTUATION}`, 0],
] as const)
  for (const unit of units) UNITS[unit.charCodeAt(0)] = kind;

/**
 * Removes what a result echoes of the call: arguments that occur verbatim, and quoted names, paths and numbers taken
 * from them. Differences that remain are new information.
 */
export function withoutEcho(text: string, { name, said }: CallText): string {
  const values = valuesIn(said);
  values.push(name);
  let rest = text;
  for (const value of values.filter(({ length }) => length >= MIN_ANYWHERE).sort(longestFirst))
    rest = rest.replaceAll(value, ECHO);
  if (rest.includes(ECHO)) rest = rest.replace(AROUND, ECHO);
  return withoutEchoedTokens(rest, values);
}

function withoutEchoedTokens(text: string, values: readonly string[]): string {
  const { length } = text;
  let said: string | undefined;
  let numbers: ReadonlySet<string> | undefined;
  let lastNames: ReadonlySet<string> | undefined;
  let kept = '';
  let from = 0;
  let start = 0;
  let before = 0;
  let within = 0;
  for (let at = 0; at <= length; at += 1) {
    const kind = at < length ? kindAt(text, at) : Unit.separator;
    if ((kind & Unit.separator) === 0) {
      within |= kind;
      continue;
    }
    const isQuoted = (before & kind & Unit.quote) !== 0;
    const mayBeNumber = within === 0 && isDigit(unitAt(text, start)) && numbers?.size !== 0;
    if (at > start && (isQuoted || (within & Unit.slash) !== 0 || mayBeNumber)) {
      let end = at;
      while (end > start && PUNCTUATION.includes(text.charAt(end - 1))) end -= 1;
      const word = text.slice(start, end);
      said ??= values.join('\n');
      let isEcho: boolean;
      if (within === 0 && NUMBER.test(word)) isEcho = (numbers ??= new Set(said.match(NUMBERS))).has(word);
      else if ((within & Unit.slash) !== 0 && PATH.test(word)) {
        const last = lastName(word);
        // A name as short as `a` occurs in any text, so it must be a whole name in the arguments.
        isEcho =
          last.length < MIN_ANYWHERE
            ? (lastNames ??= new Set(values.map(lastName))).has(last)
            : said.includes(last);
      } else isEcho = isQuoted && said.includes(word);
      if (isEcho) {
        kept += text.slice(from, start) + ECHO;
        from = end;
      }
    }
    before = kind;
    within = 0;
    start = at + 1;
  }
  return kept === '' ? text : kept + text.slice(from);
}

function kindAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return UNITS[unit] as number;
  if (unit === 0x201c || unit === 0x201d || unit === 0x2018 || unit === 0x2019)
    return Unit.separator | Unit.quote;
  return isWideSpace(unit) ? Unit.separator : Unit.letter;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** `b.txt` of `/srv/a/b.txt`, because tools expand paths. */
function lastName(path: string): string {
  let end = path.length;
  while (end > 0 && (kindAt(path, end - 1) & Unit.slash) !== 0) end -= 1;
  let start = end;
  while (start > 0 && (kindAt(path, start - 1) & Unit.slash) === 0) start -= 1;
  return path.slice(start, end);
}
