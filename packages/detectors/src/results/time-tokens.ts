import { mayBeDay, mayBeTimed } from './token-context.ts';

/** A sign of Chinese, Japanese or Korean. */
const WIDE = '[\u3040-\ud7ff]';
const FRACTION = '(?:[.,]\\d+)?';
/** Times and durations that start with a digit, numbers of tries, restarts and tokens, and sizes. */
const TIMED = new RegExp(
  [
    `(\\d{4}[-/]\\d\\d[-/]\\d\\d[T _]\\d\\d[:_-]\\d\\d(?:[:_-]\\d\\d(?:[.,_]\\d+|-\\d{3}(?=Z))?)?(?:Z|[+-]\\d\\d:?\\d\\d)?|20\\d{6}T\\d{6}(?:[.,]\\d+)?(?:Z|[+-]\\d\\d:?\\d\\d)?\\b|(?:\\d{4}${WIDE} ?\\d\\d?${WIDE} ?\\d\\d?${WIDE}\\D{0,5}\\d\\d?${WIDE} ?\\d\\d?${WIDE}(?: ?\\d\\d?[秒초])?|\\d\\d?${WIDE} ?\\d\\d?${WIDE} ?\\d\\d?[秒초]))`,
    // The second is the clock of a phone.
    `(\\d{1,2}:\\d\\d:\\d\\d${FRACTION}\\b|\\d?\\d:\\d\\d\\b(?:(?<=systemui[^<\\n]{0,99}|[Ss]tatus.?[Bb]ar[^\\n]{0,60})|(?=[^>\\n]{0,99}systemui)))`,
    `((?:\\d+h ?)?(?:\\d+m ?)?\\d+${FRACTION}\\s?(?:ns|µs|us|ms|s|secs?|mins?|(?:[Ss]e[ckg]o?u?nd|[Mm]inut)\\w{0,2})\\b|\\d+${FRACTION} ?[秒초]|(?<=(?:\\n|^)#\\d+ |\\b(?:real|user|sys) )\\d+\\.\\d+)`,
    '(\\d+(?:,\\d+)?(?= (?:attempts?|tries|retries|guesses|tokens)\\b| \\([^()\\n]{1,12} ago\\)))',
    // The latter is the size of what was left out.
    `(\\d+${FRACTION}(?: ?[KMGT]i?B\\b|(?= (?:more )?(?:characters|chars|bytes|lines) (?:truncated|omitted|elided|hidden)\\b)))`,
    // The age in the last column of a table, or `2h ago`.
    '((?:(?<=\\s{2})\\d+[dhm](?:\\d+[hms])?(?=[^\\S\\n]*(?:\\n|$)))|\\d+[dhm](?:\\d+[hms])?(?= ago\\b))',
    // A clock, but not a place in a file.
    '(?<![\\w.:]|at \\[)(\\d?\\d(?::| ?h ?)[0-5]\\d(?: ?[AaPp]\\.?[Mm]\\b|(?![\\w:]|\\.\\d)))',
  ].join('|'),
  'y',
);
const SIGNS = ['<time>', '<time>', '<duration>', '<n>', 'size', '<duration>', 'number'] as const;
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\\.?';
const DAY = '\\d\\d?[a-z]{0,2}\\b';
/** A date in words, with or without the day of the week; and with a time. */
const DATED = new RegExp(
  `(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? )?(?:${DAY} ${MONTH}|${MONTH} ${DAY})(,? (?:\\d{4} )?\\d{2}:\\d{2}:\\d{2}(?: \\d{4})?)?`,
  'y',
);
const EPOCH = /^1[5-9]\d{8}(?:\d{3})?$/;
const SECONDS = 10;
const MILLISECONDS = 13;

export interface TimedToken {
  readonly end: number;
  /** What replaces it, or the kind of its hole. */
  readonly sign: (typeof SIGNS)[number] | undefined;
}

/** The time, duration, number of tries or size whose first digit is here. */
export function timedToken(text: string, start: number): TimedToken | null {
  if (!mayBeTimed(text, start)) return null;
  TIMED.lastIndex = start;
  const match = TIMED.exec(text);
  if (match === null) return null;
  const sign = SIGNS.find((_, group) => match[group + 1] !== undefined);
  return { end: start + match[0].length, sign };
}

/** The date that starts with this word: with a time, it is replaced. */
export function datedToken(text: string, start: number, end: number): TimedToken | null {
  if (!mayBeDay(text, start, end)) return null;
  DATED.lastIndex = start;
  const match = DATED.exec(text);
  return match && { end: DATED.lastIndex, sign: match[1] === undefined ? 'number' : '<time>' };
}

/** Whether these digits are a time since 1970. */
export function isEpoch(text: string, start: number, end: number): boolean {
  const length = end - start;
  return (length === SECONDS || length === MILLISECONDS) && EPOCH.test(text.slice(start, end));
}

const NUMBER = /\d+(?:\.\d+)?(?:\.\.\d+\.\d+)?/y;

/** Where the number or the span that starts here ends, with its decimals. */
export function endOfNumber(text: string, start: number): number {
  NUMBER.lastIndex = start;
  return NUMBER.test(text) ? NUMBER.lastIndex : start;
}
