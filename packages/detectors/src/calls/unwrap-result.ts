import { jsonFrom } from '@loopwatch/contract';

/** What may stand beside the blocks of an MCP result. */
const BESIDE = new Set(['content', 'isError', 'is_error', 'structuredContent', '_meta', 'meta']);
const WRAPPED =
  /^\s*(?:\{\s*"(?:content|isError|is_error|structuredContent|_?meta)"\s*:|\[\s*\{\s*"(?:type|text)"\s*:)/;
/** A longer text is not parsed. */
const MAX_UNITS = 65_536;

export interface UnwrappedResult {
  readonly result: unknown;
  /** Whether the wrapper says that the call failed. */
  readonly isError?: true;
}

/**
 * A result without the blocks of text that MCP and model APIs wrap it in, as a value or as its JSON, so that it is read like
 * the text alone. Anything else, such as a picture beside the text, is unchanged.
 */
export function unwrapped(raw: unknown): UnwrappedResult {
  const value = typeof raw === 'string' && raw.length <= MAX_UNITS && WRAPPED.test(raw) ? jsonFrom(raw) : raw;
  if (Array.isArray(value)) return { result: textOf(value) ?? raw };
  if (!isFields(value) || !Array.isArray(value['content'])) return { result: raw };
  if (!Object.keys(value).every((name) => BESIDE.has(name))) return { result: raw };
  const text = textOf(value['content']);
  if (text === undefined) return { result: raw };
  const isError = value['isError'] === true || value['is_error'] === true;
  return isError ? { result: text, isError } : { result: text };
}

/** The text of blocks; undefined if there are none, or others. */
function textOf(blocks: readonly unknown[]): string | undefined {
  const texts = blocks.map((block) =>
    isFields(block) && block['type'] === 'text' && typeof block['text'] === 'string'
      ? block['text']
      : undefined,
  );
  return texts.length === 0 || texts.includes(undefined) ? undefined : texts.join('\n');
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
