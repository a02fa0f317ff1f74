const SHOWN_UNITS = 80;

/** A value as a text quotes it that refuses it: on one line and bounded, whatever it is. */
export function shownValue(value: unknown): string {
  const json = jsonOf(value);
  return json.length <= SHOWN_UNITS ? json : `${json.slice(0, SHOWN_UNITS - 1)}…`;
}

function jsonOf(value: unknown): string {
  // JSON has no form for those that are not finite.
  if (typeof value === 'number') return String(value);
  try {
    // In a list, so that what JSON has no form for has one.
    return JSON.stringify([value]).slice(1, -1);
  } catch {
    // JSON.stringify recurses, and ends beyond some thousands of levels.
    return 'nested too deep to be shown';
  }
}
