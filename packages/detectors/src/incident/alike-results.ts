/* Results that are the same only in bulk leave doubt. */

/** Such results count from this many repetitions more. */
export const MORE_IF_ALIKE = 1;

/** What a reason adds after "the same result". */
export function apartFrom(alike: boolean): string {
  return alike ? ' apart from random tokens' : '';
}
