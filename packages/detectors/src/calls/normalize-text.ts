import { collapseSpaces } from '../lib/white-space.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal color codes start with one.
const COLOR = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
const COLOR_START = '\u001b[';

const TIME_FIELD =
  '"(?:timestamp|time|ts|date|created(?:_at)?|updated(?:_at)?|elapsed|duration|took|latency)(?:_?ms)?"\\s*:\\s*';
const DURATION = '\\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\\b';
const PROCESS = '(pid|process(?: id)?|ppid|thread)(["\']?\\s*(?:[:=#]\\s*)?)';
const ID = '(?:request|trace|span|correlation|session|run|job|message)[ _-]?id';

const TIME = '(?::\\d\\d:\\d\\d|-\\d\\d-\\d\\d[T ]\\d\\d:\\d\\d)';
const NAMED = `(?<!\\d\\d)(?<=(?:${PROCESS}|(?:attempt|try)\\W{1,3}|${TIME_FIELD})\\d)`;
const UUID = '-[\\da-f]{4}-[\\da-f]{4}-[\\da-f]{4}-';

/**
 * Signs of volatile text: a part of each match that earlier replacements leave unchanged. Each starts with a character
 * that regex engines find fast, and typical results contain few of them, so searching for signs takes a quarter of the
 * time of applying all patterns.
 */
const SIGNS = {
  /** Any sign with a number. */
  number: new RegExp(
    `\\d(?:\\d{9}|(?!\\d)(?:${TIME}|${DURATION}|x[\\da-f]{4}| (?:attempts?|tries|retries|guesses))|${NAMED})`,
    'i',
  ),
  time: new RegExp(`\\d${TIME}`),
  /** A number after a name. */
  named: new RegExp(`\\d${NAMED}`, 'i'),
  id: new RegExp(`d(?<=${ID})|q(?<=req)`, 'i'),
  /** Any other sign. */
  other: new RegExp(`${UUID}|/tmp(?<=(?:tmp|T)/tmp)|[?&][\\w.-]{1,40}=[\\w%~+/=-]{20}`, 'i'),
  uuid: new RegExp(UUID, 'i'),
};

/** Patterns of volatile text in the order in which they are applied, each with its sign and its replacement. */
const VOLATILE: readonly (readonly [sign: keyof typeof SIGNS, pattern: RegExp, replacement: string])[] = [
  ['time', /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [
    'time',
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}(?: \d{1,2})?,? (?:\d{4} )?\d{2}:\d{2}:\d{2}(?: \d{4})?/g,
    '<time>',
  ],
  ['time', /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  ['number', /\b0x[0-9a-f]{4,}\b/gi, '<address>'],
  ['number', new RegExp(`\\b\\d+(?:\\.\\d+)?${DURATION}`, 'g'), '<duration>'],
  ['named', new RegExp(`\\b${PROCESS}\\d+`, 'gi'), '$1$2<pid>'],
  ['id', new RegExp(`\\b(${ID}|req)(["']?\\s*(?:[:=#]\\s*)?["']?)[\\w-]{4,}`, 'gi'), '$1$2<id>'],
  ['named', new RegExp(`(${TIME_FIELD})\\d+(?:\\.\\d+)?`, 'gi'), '$1<time>'],
  ['number', /\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  ['other', /(?:\/private)?\/(?:tmp|var\/folders\/\w+\/\w+\/T)\/tmp[\w.-]+/g, '<temporary>'],
  ['named', /\b(attempt|try|retry)(\W{1,3})\d+\b/gi, '$1$2<n>'],
  ['number', /\b\d+ (attempts?|tries|retries|guesses)\b/gi, '<n> $1'],
  // A token in a link: upper-case and lower-case letters with digits.
  [
    'other',
    /([?&][\w.-]{1,40}=)(?=[\w%~+/=-]*\d)(?=[\w%~+/=-]*[a-z])(?=[\w%~+/=-]*[A-Z])[\w%~+/=-]{20,}/g,
    '$1<token>',
  ],
];

/** A result with its volatile parts replaced. */
export function normalizeText(text: string): string {
  // Colors come first: text that they interrupt may show a sign only without them.
  let normal = text.includes(COLOR_START) ? text.replace(COLOR, '') : text;
  const number = SIGNS.number.test(normal);
  const other = SIGNS.other.test(normal);
  const has = {
    number,
    time: number && SIGNS.time.test(normal),
    named: number && SIGNS.named.test(normal),
    id: SIGNS.id.test(normal),
    other,
    uuid: other && SIGNS.uuid.test(normal),
  };
  for (const [sign, pattern, replacement] of VOLATILE)
    if (has[sign]) normal = normal.replace(pattern, replacement);
  return collapseSpaces(normal);
}
