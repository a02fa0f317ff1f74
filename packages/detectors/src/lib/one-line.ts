/**
 * Escapes text for one log line: external names and messages must neither forge further lines, control a terminal, nor reverse
 * the direction of a text.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ');
}
