/** Kinds of UTF-16 units, as bits. A joint may stand within a token: `a-b`, `x/y`. */
export const SPACE = 1;
export const DIGIT = 2;
export const UPPER = 4;
export const LOWER = 8;
export const JOINT = 16;
export const ESCAPE = 32;
/** Of a script without spaces between words, or of one that writes units of time in such signs. */
export const WIDE = 64;
export const TOKEN = UPPER | LOWER | DIGIT | JOINT;

/** By unit. Units beyond ASCII are white space or letters; the table has all of them, because a branch costs more. */
export const KINDS = new Uint8Array(0x1_00_00).fill(LOWER, 0x80);
for (const [first, last, kind] of [
  ['0', '9', DIGIT],
  ['A', 'Z', UPPER],
  ['a', 'z', LOWER],
  ['\t', '\r', SPACE],
  ['\u2000', '\u200a', SPACE],
  ['\u3001', '\u303f', 0],
  ['\u3040', '\ud7ff', WIDE],
  ['\uff00', '\uff0f', 0],
  ['\uff1a', '\uff20', 0],
] as const)
  KINDS.fill(kind, first.charCodeAt(0), last.charCodeAt(0) + 1);
for (const [units, kind] of [
  // With the ranges above, as `\s` has it.
  [' \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff', SPACE],
  ['_-+/', JOINT],
  ['\\', ESCAPE],
] as const)
  for (const unit of units) KINDS[unit.charCodeAt(0)] = kind;

/**
 * The UTF-16 unit; 0 outside of the text. In V8, a single index outside makes `charCodeAt` several times as slow in the
 * calling function, for good.
 */
export function unitAt(text: string, at: number): number {
  return at >= 0 && at < text.length ? text.charCodeAt(at) : 0;
}

/** 0 for other signs, and outside of the text. */
export function kindAt(text: string, at: number): number {
  return KINDS[unitAt(text, at)] as number;
}

/** White space that is not one space. */
const UNEVEN = / \s+|[^\S ]\s*/g;

/** Replaces each run of white space with one space, and removes it at both ends. */
export function collapseSpaces(text: string): string {
  return text.replace(UNEVEN, ' ').trim();
}
