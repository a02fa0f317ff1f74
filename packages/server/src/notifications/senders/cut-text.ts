/** The text, or its beginning with an ellipsis. @param maxLength in UTF-16 code units */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Half a character would not be valid.
  return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
