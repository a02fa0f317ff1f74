/**
 * Escapes text for one log line: external names and messages must neither forge further lines nor control a terminal.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
