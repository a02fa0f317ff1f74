/**
 * Texts that a harness writes, as data: words as they stand, with placeholders for what differs each time. `{number}`
 * is a number, `{word}` a run without white space, `{line}` what is left of a line, `{text}` anything, line breaks
 * included. `Wall time: {number} seconds`.
 */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  number: '\\d+(?:\\.\\d+)?',
  word: '[^\\s"<>]{1,200}',
  line: '[^\\n]{0,1000}',
  // Bounded, so that an opening that is never closed costs a bounded time.
  text: '[^]{0,4000}?',
};
const PLACEHOLDER = /\{(number|word|line|text)\}/;

export interface TextTemplate {
  /** What the text begins with: a text without it need not be searched further. */
  readonly opening: string;
  /** The source of a regular expression that matches the text. */
  readonly source: string;
}

/** @param template text with placeholders; it begins with words of its own */
export function textTemplate(template: string): TextTemplate {
  const parts = template.split(PLACEHOLDER);
  const source = parts.map((part, i) => (i % 2 === 0 ? escaped(part) : PLACEHOLDERS[part])).join('');
  return { opening: /^\S*/.exec(parts[0] ?? '')?.[0] ?? '', source };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+');
}
