/** Controls that turn the direction of a text around, so that it would read otherwise than it was written. */
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** The text with these as marks, such as `[U+202E]`. */
export function visibleText(text: string): string {
  return text.replace(
    BIDI,
    (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}
