import { editDistance } from '@loopwatch/contract/internal';

/** How alike two canonical argument texts are, from 0 to 1; seed of the `similar` matching of tool-repeat. */
export interface SimilaritySettings {
  readonly algorithm: 'levenshtein' | 'jaccard';
  readonly threshold: number;
  readonly normalizeWhitespace: boolean;
  readonly ignoreCase: boolean;
}

/** Longer texts are similar only if equal, which bounds the cost of a comparison. */
export const SIMILARITY_MAX_UNITS = 2048;

/** Normalizes a text for comparison. */
export function comparable(text: string, settings: SimilaritySettings): string {
  let form = text;
  if (settings.normalizeWhitespace) form = normalizeWhitespace(form);
  if (settings.ignoreCase) form = form.toLowerCase();
  return form;
}

/** Replaces each run of white space, JSON-escaped or not, with one space; an escaped backslash is not white space. */
function normalizeWhitespace(text: string): string {
  return text.replace(/\\\\|(?:\\[nrtf]|\s)+/g, (match) => (match === '\\\\' ? match : ' ')).trim();
}

/** Similarity of two normalized texts; 0 if a cheap check shows that it is below the threshold. */
export function similarity(a: string, b: string, settings: SimilaritySettings): number {
  if (a === b) return 1;
  const longer = Math.max(a.length, b.length);
  if (longer > SIMILARITY_MAX_UNITS) return 0;
  if (settings.algorithm === 'jaccard') return jaccard(wordTokens(a), wordTokens(b));
  const bound = 1 - Math.abs(a.length - b.length) / longer;
  return bound < settings.threshold ? 0 : 1 - editDistance(a, b) / longer;
}

function wordTokens(text: string): Set<string> {
  return new Set(text.match(/[\p{L}\p{N}_]+/gu) ?? []);
}

/** The share of all tokens that both have. */
export function jaccard(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const token of a) if (b.has(token)) shared += 1;
  const all = a.size + b.size - shared;
  return all === 0 ? 1 : shared / all;
}
