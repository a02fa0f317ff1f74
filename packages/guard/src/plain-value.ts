/** A value as JSON would carry it; what JSON cannot carry becomes a text. */
export function plainValue(value: unknown): unknown {
  try {
    const text = JSON.stringify(value) as string | undefined;
    return text === undefined ? null : (JSON.parse(text) as unknown);
  } catch {
    return String(value);
  }
}
