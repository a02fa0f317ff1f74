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

/** Escaped backslashes are matched too, so that `\\u0000`, a backslash and letters, is not taken for an escape. */
const unstorable = /\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g;
