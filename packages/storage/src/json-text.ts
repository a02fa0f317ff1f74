/**
 * Serializes a value as JSON that jsonb accepts. Agents' texts may contain U+0000 or a lone surrogate, which JSON can express
 * but PostgreSQL cannot store; they are replaced by U+FFFD, the replacement character.
 */
export function jsonText(value: unknown): string {
  return JSON.stringify(value).replace(unstorable, (escape: string) =>
    escape.startsWith('\\u') ? '\\ufffd' : escape,
  );
}

/** Replaces the same characters as {@link jsonText}. */
export function storableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

/** Replaces the same characters in a statement's parameters, so that a lookup finds the stored text. */
export function storableParameters(parameters: readonly unknown[]): unknown[] {
  return parameters.map((value: unknown) => {
    if (typeof value === 'string') return storableText(value);
    return Array.isArray(value) ? storableParameters(value) : value;
  });
}

/** Also matches escaped backslashes, so that `\\u0000`, a backslash followed by letters, is not mistaken for an escape. */
const unstorable = /\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/g;
