import type { ToolIdentity } from '../../calls/step.ts';
import { fieldsOf } from './rephrased-query.ts';

/**
 * Argument names for the position at which to continue reading. Times are not included: they ask for what is new
 * since then.
 */
const PLACES = new Set(
  (
    'page pagenumber pageno pageindex offset lineoffset skip start startline startindex linestart fromline ' +
    'end endline endindex lineend toline viewrange linerange'
  ).split(' '),
);
/** A number or the two ends of a range, as JSON or as text. */
const NUMBERS = /^\0?\[?\d+(?:, ?\d+)?\]?$/;

/** Whether two calls differ only in the position at which they continue reading the same thing. */
export function turnsPages(a: ToolIdentity, b: ToolIdentity): boolean {
  if (a.digest !== undefined || b.digest !== undefined) return false;
  const [one, two] = [fieldsOf(a), fieldsOf(b)];
  if (one.size !== two.size) return false;
  let turned = false;
  for (const [name, value] of one) {
    const other = two.get(name);
    if (other === value) continue;
    if (other === undefined || !isPlace(name) || !NUMBERS.test(value) || !NUMBERS.test(other)) return false;
    turned = true;
  }
  return turned;
}

function isPlace(name: string): boolean {
  return PLACES.has(name.replace(/[_-]/g, '').toLowerCase());
}
