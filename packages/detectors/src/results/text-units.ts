/** Kinds of UTF-16 units, as bits. A joint may stand within a token: `a-b`, `x/y`. */
export const SPACE = 1;
export const DIGIT = 2;
export const UPPER = 4;
export const LOWER = 8;
export const JOINT = 16;
export const ESCAPE = 32;
export const TOKEN = UPPER | LOWER | DIGIT | JOINT;

/** By unit. Units beyond ASCII are white space or letters; the table has all of them, because a branch costs more. */
export const KINDS = new Uint8Array(0x1_00_00).fill(LOWER, 0x80);
for (const [units, kind] of [
  ['\t\n\v\f\r ', SPACE],
  ['0123456789', DIGIT],
  ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', UPPER],
  ['abcdefghijklmnopqrstuvwxyz', LOWER],
  ['_-+/', JOINT],
  ['\\', ESCAPE],
] as const)
  for (const unit of units) KINDS[unit.charCodeAt(0)] = kind;
for (let unit = 0x80; unit < KINDS.length; unit += 1) if (isWideSpace(unit)) KINDS[unit] = SPACE;

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

/** Whether `\s` matches a UTF-16 unit beyond ASCII. */
export function isWideSpace(unit: number): boolean {
  if (unit < 0x1680) return unit === 0xa0;
  return (
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x1680 ||
    unit === 0x2028 ||
    unit === 0x2029 ||
    unit === 0x202f ||
    unit === 0x205f ||
    unit === 0x3000 ||
    unit === 0xfeff
  );
}

/** White space that is not one space. */
const UNEVEN = / \s+|[^\S ]\s*/g;

/** Replaces each run of white space with one space, and removes it at both ends. */
export function collapseSpaces(text: string): string {
  return text.replace(UNEVEN, ' ').trim();
}
