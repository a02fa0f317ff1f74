/**
 * Text for one line of a log: names and messages from outside must neither forge further lines nor steer a terminal.
 */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
