const SHOWN_UNITS = 80;

/** Formats any value for an error message: on one line and bounded. */
export function shownValue(value: unknown): string {
  const json = jsonOf(value);
  return json.length <= SHOWN_UNITS ? json : `${json.slice(0, SHOWN_UNITS - 1)}…`;
}

function jsonOf(value: unknown): string {
  // JSON has no form for non-finite numbers.
  if (typeof value === 'number') return String(value);
  try {
    // In a list, so that values without a JSON form get one.
    return JSON.stringify([value]).slice(1, -1);
  } catch {
    // JSON.stringify recurses and overflows after some thousands of levels.
    return 'nested too deep to be shown';
  }
}
