const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Milliseconds of an amount of minutes, hours, days or weeks, as in `12h`; 0 for another unit. */
export function durationMs(amount: string, unit: string): number {
  return Number(amount) * (unitMs[unit] ?? 0);
}
