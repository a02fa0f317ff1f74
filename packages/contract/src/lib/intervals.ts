/** A value, and where the true one is with 95% confidence. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Standard deviations on both sides that cover 95%. */
const Z = 1.96;

/** A share of `total` as a proportion, with the interval of Wilson, which holds for few and for rare ones, too. */
export function proportion(part: number, total: number): Estimate | null {
  if (total === 0) return null;
  const p = Math.min(1, part / total);
  const z2 = Z * Z;
  const center = (p + z2 / (2 * total)) / (1 + z2 / total);
  const reach = (Z / (1 + z2 / total)) * Math.sqrt((p * (1 - p)) / total + z2 / (4 * total * total));
  return { value: p, low: Math.max(0, center - reach), high: Math.min(1, center + reach) };
}

/** Events per unit, for events that happen independently, with the score interval of Poisson's distribution. */
export function rate(events: number, units: number): Estimate | null {
  if (units === 0) return null;
  const center = events + (Z * Z) / 2;
  const reach = Z * Math.sqrt(events + (Z * Z) / 4);
  return { value: events / units, low: Math.max(0, center - reach) / units, high: (center + reach) / units };
}

/** A mean of `count` values by the normal distribution. @param squares sum of the squares of the values */
export function mean(sum: number, squares: number, count: number): Estimate | null {
  if (count === 0) return null;
  const value = sum / count;
  if (count === 1) return { value, low: 0, high: Infinity };
  const variance = Math.max(0, (squares - count * value * value) / (count - 1));
  const reach = Z * Math.sqrt(variance / count);
  return { value, low: Math.max(0, value - reach), high: value + reach };
}

/** With fewer sessions on a side, even a large difference may be chance. */
export const MIN_SESSIONS = 20;

export type Difference = 'too few' | 'unclear' | 'higher' | 'lower';

/** How the second differs from the first: clearly, if their intervals do not overlap. */
export function differenceOf(a: Estimate | null, b: Estimate | null, sessions: number): Difference {
  if (a === null || b === null || sessions < MIN_SESSIONS) return 'too few';
  if (b.low > a.high) return 'higher';
  return b.high < a.low ? 'lower' : 'unclear';
}
