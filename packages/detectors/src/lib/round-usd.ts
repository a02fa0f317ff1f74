/** Rounds to a billionth of a dollar: further digits are floating-point noise. */
export function roundUsd(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}
