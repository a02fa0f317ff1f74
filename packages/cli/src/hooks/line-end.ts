/** The line end of a settings file, which text that is added to it has too. */
export function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
