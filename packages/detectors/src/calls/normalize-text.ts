const COLOR = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
const COLOR_START = '\u001b[';

const TIME_FIELD =
  '"(?:timestamp|time|ts|date|created(?:_at)?|updated(?:_at)?|elapsed|duration|took|latency)(?:_?ms)?"\\s*:\\s*';
const DURATION = '\\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\\b';
const PROCESS = '(pid|process(?: id)?|ppid|thread)(["\']?\\s*(?:[:=#]\\s*)?)';
const ID = '(?:request|trace|span|correlation|session|run|job|message)[ _-]?id';
/** What follows the name of an id. */
const ID_VALUE = '(["\']?\\s*(?:[:=#]\\s*)?["\']?)[\\w-]{4,}';

/** Patterns of volatile text in the order in which they are applied, each with its sign and its replacement. */
const VOLATILE: readonly (readonly [sign: SignName, pattern: RegExp, replacement: string])[] = [
  ['date', /\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?/g, '<time>'],
  [
    'clock',
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}(?: \d{1,2})?,? (?:\d{4} )?\d{2}:\d{2}:\d{2}(?: \d{4})?/g,
    '<time>',
  ],
  ['clock', /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  ['uuid', /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  ['address', /\b0x[0-9a-f]{4,}\b/gi, '<address>'],
  ['duration', new RegExp(`\\b\\d+(?:\\.\\d+)?${DURATION}`, 'g'), '<duration>'],
  ['process', new RegExp(`\\b${PROCESS}\\d+`, 'gi'), '$1$2<pid>'],
  ['id', new RegExp(`\\b(${ID}|req)${ID_VALUE}`, 'gi'), '$1$2<id>'],
  ['req', new RegExp(`\\b(req)${ID_VALUE}`, 'gi'), '$1$2<id>'],
  ['field', new RegExp(`(${TIME_FIELD})\\d+(?:\\.\\d+)?`, 'gi'), '$1<time>'],
  ['epoch', /\b1[5-9]\d{8}(?:\d{3})?\b/g, '<time>'],
  ['temporary', /(?:\/private)?\/(?:tmp|var\/folders\/\w+\/\w+\/T)\/tmp[\w.-]+/g, '<temporary>'],
  ['attempt', /\b(attempt|try|retry)(\W{1,3})\d+\b/gi, '$1$2<n>'],
  ['tries', /\b\d+ (attempts?|tries|retries|guesses)\b/gi, '<n> $1'],
  // A token in a link: upper-case and lower-case letters with digits.
  [
    'token',
    /([?&][\w.-]{1,40}=)(?=[\w%~+/=-]*\d)(?=[\w%~+/=-]*[a-z])(?=[\w%~+/=-]*[A-Z])[\w%~+/=-]{20,}/g,
    '$1<token>',
  ],
];

const DIGIT = '0123456789';
const HEX = `${DIGIT}abcdef`;
const WORD = `${DIGIT}abcdefghijklmnopqrstuvwxyz_`;
/** The last one stands for all beyond Latin-1. */
const SPACE = '\t\n\v\f\r \u00a0\u3000';

/** The units that a sign starts with, at most four, and the sign. The units must allow every text that it matches. */
type Line = readonly [name: string, units: readonly string[], sign: RegExp];

/**
 * Signs of volatile text: a part of each match that earlier replacements leave unchanged. Typical results contain few
 * of them, so one search for all signs takes much less time than applying all patterns.
 */
export const SIGNS = [
  ['date', [DIGIT, '-', DIGIT, DIGIT], /\d-\d\d-\d\d[T ]\d\d:\d\d/y],
  ['clock', [DIGIT, ':', DIGIT, DIGIT], /\d:\d\d:\d\d/y],
  ['uuid', ['-', HEX, HEX, HEX], /-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-/iy],
  ['address', ['0', 'x', HEX, HEX], /0x[\da-f]{4}/iy],
  ['duration', [DIGIT, 'nµums'], new RegExp(`\\d${DURATION}`, 'y')],
  ['duration', [DIGIT, SPACE, 'nµums'], new RegExp(`\\d${DURATION}`, 'y')],
  ['process', ['p', 'i', 'd', `${DIGIT}${SPACE}"':=#`], new RegExp(`${PROCESS}\\d`, 'iy')],
  ['process', ['pt', 'rh', 'or', 'ce'], new RegExp(`${PROCESS}\\d`, 'iy')],
  ['id', ['abcegnostu', 'bent _-', 'i', 'd'], new RegExp(`[^]{2}id(?<=${ID})`, 'iy')],
  ['req', ['r', 'e', 'q'], /req/iy],
  ['field', ['"', 'cdeltu', 'ailoprsu', '"_ademort'], new RegExp(`${TIME_FIELD}\\d`, 'iy')],
  ['epoch', ['1', '56789', DIGIT, DIGIT], /1[5-9]\d{8}/y],
  ['temporary', ['/', 't', 'm', 'p'], /\/tmp(?<=(?:tmp|T)\/tmp)/y],
  ['attempt', ['a', 't', 't', 'e'], /attempt\W{1,3}\d/iy],
  ['attempt', ['t', 'r', 'y'], /try\W{1,3}\d/iy],
  ['tries', [DIGIT, ' ', 'agrt', 'ertu'], /\d (?:attempts?|tries|retries|guesses)/iy],
  ['token', ['?&', `${WORD}.-`], /[?&][\w.-]{1,40}=[\w%~+/=-]{20}/iy],
] as const satisfies readonly Line[];

export type SignName = (typeof SIGNS)[number][0];

const LINES: readonly Line[] = SIGNS;
const ALL = (1 << LINES.length) - 1;

/** The bits of a sign in the result of `signsIn`: one per line. */
export function bitsOf(sign: SignName): number {
  return bitsWhere(([name]) => name === sign);
}

function bitsWhere(holds: (line: Line) => boolean): number {
  return LINES.reduce((bits, line, i) => (holds(line) ? bits | (1 << i) : bits), 0);
}

/** Stands for all units beyond Latin-1, of which no sign needs any but white space. */
const BEYOND = 0x100;

/** By unit, the lines that allow it as the first, second, third or last of four units; shorter ones start later. */
const [FIRST, SECOND, THIRD, LAST] = [4, 3, 2, 1].map((fromEnd) => {
  const table = new Int32Array(BEYOND + 1).fill(bitsWhere(([, units]) => units.length < fromEnd));
  LINES.forEach(([, units, { ignoreCase }], line) => {
    const allowed = units.at(-fromEnd) ?? '';
    for (const unit of ignoreCase ? allowed + allowed.toUpperCase() : allowed)
      (table[Math.min(unit.charCodeAt(0), BEYOND)] as number) |= 1 << line;
  });
  return table;
}) as [Int32Array, Int32Array, Int32Array, Int32Array];

/**
 * The signs that a text contains, as bits. Looking units up in tables is cheaper than regular expressions, which take
 * 1 to 2 ns per unit and expression in strings beyond Latin-1; the loop only branches where four units fit a line.
 */
export function signsIn(text: string): number {
  const { length } = text;
  let missing = ALL;
  // Lines whose first one, two and three units stand before the current unit; before the text, any might.
  let one = FIRST[BEYOND] as number;
  let two = one & (SECOND[BEYOND] as number);
  let three = two & (THIRD[BEYOND] as number);
  for (let at = 0; at < length; at += 1) {
    const unit = Math.min(text.charCodeAt(at), BEYOND);
    const candidates = three & (LAST[unit] as number);
    three = two & (THIRD[unit] as number);
    two = one & (SECOND[unit] as number);
    one = FIRST[unit] as number;
    if ((candidates & missing) !== 0) missing &= ~confirmed(text, at, candidates & missing);
  }
  return ALL & ~missing;
}

const CONFIRMING = SIGNS.map(([name, units, sign]) => ({
  before: units.length - 1,
  sign,
  bits: bitsOf(name),
}));

/** Which of the candidates, whose units end here, are signs. */
function confirmed(text: string, at: number, candidates: number): number {
  let found = 0;
  CONFIRMING.forEach(({ before, sign, bits }, line) => {
    if ((candidates & (1 << line)) === 0) return;
    sign.lastIndex = at - before;
    if (sign.test(text)) found |= bits;
  });
  return found;
}

const STEPS = VOLATILE.map(([sign, pattern, replacement]) => ({ bits: bitsOf(sign), pattern, replacement }));
const ANY_ID = bitsOf('id');
const REQ = bitsOf('req');

/** A result with its volatile parts replaced. */
export function normalizeText(text: string): string {
  // Colors come first: text that they interrupt may show a sign only without them.
  let normal = text.includes(COLOR_START) ? text.replace(COLOR, '') : text;
  let signs = signsIn(normal);
  // The pattern of all ids includes `req`, which is often the only one, and alone takes a third of the time.
  if ((signs & ANY_ID) !== 0) signs &= ~REQ;
  for (const { bits, pattern, replacement } of STEPS)
    if ((signs & bits) !== 0) normal = normal.replace(pattern, replacement);
  return collapseSpaces(normal);
}

/** White space that is not one space. */
const UNEVEN = / \s+|[^\S ]\s*/g;

/** Replaces each run of white space with one space, and removes it at both ends. */
export function collapseSpaces(text: string): string {
  return text.replace(UNEVEN, ' ').trim();
}
