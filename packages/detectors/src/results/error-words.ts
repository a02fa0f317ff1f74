import { lexResult, normalizeText } from './lex-result.ts';
import { valuesIn } from './said-values.ts';
import { type CallText, ECHO, withoutEcho } from './strip-echoed-args.ts';
import { collapseSpaces } from './text-units.ts';

const TRACEBACK = 'Traceback (most recent call last)';
const EXCEPTION = /^[\w.]*(?:Error|Exception|Interrupt|Exit|Warning)\b.*$/gm;
const STACK = /^[ \t]+at .*$/gm;
/**
 * Wordings, with their framing, that only say that something failed; `grep` returns nothing else if it finds nothing.
 */
const SAYS_NOTHING =
  /\b(?:_?meta|content|textcontent|type|text|annotations|none|null|is_?error|true|false|exit(?:ed)?|return(?:ed)?|\w*(?:code|_id|_count|_seconds)|id|duration|status|command|process|with|failed|failure|errors?|stdout|stderr|output|no)\b|[^\p{L}\d]|\d+/iuy;
const PLACE =
  /\b((?:column|col|char|character|position|pos|offset|index)\b[\s:=#]{0,3}|(?:line |at \[)\d+:)\d+/gi;
/** What was tried of a kind that fails as a whole. */
const TRIED = /(?<!\S)\S+(: command not found)|calling the \w+( operation)/gi;
/** Units of a result that are searched for an error. */
const FAILURE_UNITS = 16_384;
/** Compared units of an error's message. */
const MESSAGE_UNITS = 2000;

/** A line, and what points into it below. */
const LINE = /^(.{4,})(?:\n[^\w\n]*\^.*)?/gm;
/** The margin that an editor prints before each line. */
const MARGIN = /^[\s\d:|>+-]*/;
/** A shorter line of the call may occur anywhere by chance. */
const QUOTED_UNITS = 4;
/** What MySQL quotes of a statement, up to its end. */
const NEAR = /(?<=near ')([^]+?)(?=' at line)/g;
/** Units of an error in which it quotes the call. */
const QUOTING_UNITS = 1600;

/** What names an error. */
interface ErrorWords {
  /** Its own message; `null` if it names none. */
  readonly failure: string | null;
  /** Its first lines, up to where they quote the call, without numbers; `null` if they say nothing. */
  readonly head: string | null;
  /** The numbers of the head, separated by spaces. */
  readonly numbers: string;
}

/** The words of a result in which nothing failed. */
export const NO_ERROR: ErrorWords = { failure: null, head: null, numbers: '' };

/** @param text a result that tells of an error */
export function errorWords(text: string, call: CallText): ErrorWords {
  const unquoted = withoutQuotes(text, call);
  const failure = failureOf(unquoted);
  return saysNothing(failure) ? NO_ERROR : { failure, ...errorHead(unquoted, call) };
}

/** An error with an echo in place of the lines that it quotes of the call. */
function withoutQuotes(text: string, { said }: CallText): string {
  const values = valuesIn(said);
  const unquoted = (shown: string, line: string) => {
    const quoted = collapseSpaces(line.replace(MARGIN, ''));
    const isQuote = quoted.length >= QUOTED_UNITS && values.some((value) => value.includes(quoted));
    return isQuote || shown.startsWith('LINE ') ? ECHO : shown;
  };
  const head = text.slice(0, QUOTING_UNITS).replaceAll('\\n', '\n');
  return head.replace(NEAR, unquoted).replace(LINE, unquoted) + text.slice(QUOTING_UNITS);
}

/** The error's own message, without the stack trace and the position in the input. */
function failureOf(text: string): string {
  const message = exceptionIn(text) ?? text.slice(0, FAILURE_UNITS).replace(STACK, '');
  // An error with another id is the same error, one with another number may not be.
  const words = lexResult(message, { isError: false }).bulk;
  return words.slice(0, MESSAGE_UNITS).replace(PLACE, '$1<n>').replace(TRIED, '<name>$1$2');
}

/** Stops at the first word that says something. */
export function saysNothing(text: string): boolean {
  SAYS_NOTHING.lastIndex = 0;
  while (SAYS_NOTHING.lastIndex < text.length) if (!SAYS_NOTHING.test(text)) return false;
  return true;
}

/** The exception at the end of a Python traceback. */
function exceptionIn(text: string): string | undefined {
  const begin = text.slice(0, FAILURE_UNITS).lastIndexOf(TRACEBACK);
  if (begin === -1) return undefined;
  const lines = text.slice(begin).slice(0, FAILURE_UNITS).replaceAll('\\n', '\n');
  return [...lines.matchAll(EXCEPTION)].at(-1)?.[0];
}

/** Lines that identify an error, apart from those of its framing; those after them show its location. */
const LINES = 5;
const UNITS = 400;
/** A number, and whether it counts something: fewer failures are a different error. */
const NUMBER =
  /\d+( (?:failed|failures?|failing|passed|errors?|warnings?|problems?|tests?|left|remaining|of)\b)?/g;

/** The numbers of a head that are kept. */
const HEAD_NUMBERS = 8;

/**
 * The first lines of an error, up to where they quote the call, with digits folded: equal for attempts rejected for
 * the same reason, although each rejection quotes its own attempt.
 */
function errorHead(text: string, call: CallText): Omit<ErrorWords, 'failure'> {
  const [unquoted = ''] = `\n${text.slice(0, QUOTING_UNITS)}`.split(`\n${ECHO}`, 1);
  const lines = unquoted.split('\n').filter((line) => !saysNothing(line));
  const opening = lines.slice(0, LINES).join('\n');
  const own = withoutEcho(normalizeText(opening).slice(0, UNITS), call, true);
  const head = own.replace(NUMBER, (number: string, counted?: string) => (counted ? number : '#'));
  // None of clocks and dates; a percentage moves towards 100.
  const numbers =
    opening
      .slice(0, UNITS)
      .replace(/\d%/g, '$& 100')
      .match(/(?<![\d:]|\d-)\d+(?:\.\d+)?(?![\d:]|-\d)/g) ?? [];
  return { head: saysNothing(head) ? null : head, numbers: numbers.slice(0, HEAD_NUMBERS).join(' ') };
}
