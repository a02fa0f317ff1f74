/** White space that is not one space. */
const UNEVEN = / \s+|[^\S ]\s*/g;

/** Replaces each run of white space with one space, and removes it at both ends. */
export function collapseSpaces(text: string): string {
  return text.replace(UNEVEN, ' ').trim();
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
