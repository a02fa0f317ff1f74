/** Bidirectional controls, which make a text read differently than it was written. */
const BIDI = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** Makes these controls visible, as `[U+202E]`. */
export function visibleText(text: string): string {
  return text.replace(
    BIDI,
    (control) => `[U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`,
  );
}
