import { exactJson } from '@loopwatch/contract';

/** Strings, and the numbers that Python writes but JSON lacks. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g;

/**
 * Parses JSON, also as Python writes it: what is no number becomes null.
 *
 * @throws SyntaxError
 */
export function pythonJson(text: string): unknown {
  try {
    return exactJson(text);
  } catch (error) {
    const valid = text.replace(tokens, (token) => (token.startsWith('"') ? token : 'null'));
    if (valid === text) throw error;
    return exactJson(valid);
  }
}
