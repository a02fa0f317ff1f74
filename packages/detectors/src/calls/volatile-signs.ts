export const TIME_FIELD =
  '"(?:timestamp|time|ts|date|created(?:_at)?|updated(?:_at)?|elapsed|duration|took|latency)(?:_?ms)?"\\s*:\\s*';
export const DURATION = '\\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\\b';
export const PROCESS = '(pid|process(?: id)?|ppid|thread)(["\']?\\s*(?:[:=#]\\s*)?)';
export const ID = '(?:request|trace|span|correlation|session|run|job|message)[ _-]?id';

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
