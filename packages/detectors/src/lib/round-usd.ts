/** Sums of binary fractions, to a billionth of a dollar: what is beyond says nothing. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}
