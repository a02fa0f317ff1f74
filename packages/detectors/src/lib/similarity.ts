import { distance } from 'fastest-levenshtein';

/** How alike two canonical argument texts are, from 0 to 1; seed of the `similar` matching of tool-repeat. */
export interface SimilaritySettings {
  readonly algorithm: 'levenshtein' | 'jaccard';
  readonly threshold: number;
  readonly normalizeWhitespace: boolean;
  readonly ignoreCase: boolean;
}

/** Longer texts are similar only when they are equal: it bounds what one comparison can cost. */
export const SIMILARITY_MAX_UNITS = 2048;

/** The form of a text that is compared. */
export function comparable(text: string, settings: SimilaritySettings): string {
  let form = text;
  if (settings.normalizeWhitespace) form = normalizeWhitespace(form);
  if (settings.ignoreCase) form = form.toLowerCase();
  return form;
}

/** One space for each stretch of white space, escaped in JSON or not; an escaped backslash is none of it. */
function normalizeWhitespace(text: string): string {
  return text.replace(/\\\\|(?:\\[nrtf]|\s)+/g, (match) => (match === '\\\\' ? match : ' ')).trim();
}

/** Similarity of two comparable texts; 0 where it is known to lie below the threshold without computing it. */
export function similarity(a: string, b: string, settings: SimilaritySettings): number {
  if (a === b) return 1;
  const longer = Math.max(a.length, b.length);
  if (longer > SIMILARITY_MAX_UNITS) return 0;
  if (settings.algorithm === 'jaccard') return jaccard(wordTokens(a), wordTokens(b));
  const bound = 1 - Math.abs(a.length - b.length) / longer;
  return bound < settings.threshold ? 0 : 1 - distance(a, b) / longer;
}

function wordTokens(text: string): Set<string> {
  return new Set(text.match(/[\p{L}\p{N}_]+/gu) ?? []);
}

function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const token of a) if (b.has(token)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 1 : shared / all;
}
