/**
 * A value as JSON that jsonb takes. What agents write may hold U+0000 or half a surrogate pair, which JSON can say and
 * PostgreSQL cannot store: they become U+FFFD, the sign for what cannot be shown.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(unstorable, (escape: string) =>
    escape.startsWith('\\u') ? '\\ufffd' : escape,
  );
}

/** A text as {@link jsonText} would write it. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Parameters of a statement, texts in them as they are stored: who asks for a name is to find what was written under it. */
export function storableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value: unknown) => {
    if (typeof value === 'string') return storableText(value);
    return Array.isArray(value) ? storableParameters(value) : value;
  });
}

/** Escaped backslashes are matched too, so that `\\u0000`, a backslash and letters, is not taken for an escape. */
const unstorable = /\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g;
