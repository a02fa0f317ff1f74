/**
 * Templates of texts that a harness writes: literal words with placeholders for variable parts. `{number}` is a
 * number, `{word}` a run without white space, `{line}` the rest of a line, `{text}` anything, including line breaks.
 * `Wall time: {number} seconds`.
 */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  number: '\\d+(?:\\.\\d+)?',
  word: '[^\\s"<>]{1,200}',
  line: '[^\\n]{0,1000}',
  // Bounded, so that an unclosed opening costs bounded time.
  text: '[^]{0,4000}?',
};
const PLACEHOLDER = /\{(number|word|line|text)\}/;

export interface TextTemplate {
  /** Source of a regular expression that matches the literal beginning, which is fast to search for. */
  readonly opening: string;
  /** Source of a regular expression that matches the whole text. */
  readonly source: string;
}

/** @param template text with placeholders, starting with literal words */
export function textTemplate(template: string): TextTemplate {
  const parts = template.split(PLACEHOLDER);
  const source = parts.map((part, i) => (i % 2 === 0 ? escaped(part) : PLACEHOLDERS[part])).join('');
  return { opening: escaped(/^\S*/.exec(parts[0] ?? '')?.[0] ?? ''), source };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&').replace(/\s+/g, '\\s+');
}
