import type { ToolIdentity } from './tool-identity.ts';

/** A shorter text is a name or a key, not a wording. */
const LEAST_WORDS = 3;
/** Common words among all words of two wordings of one question. */
const COMMON_SHARE = 0.25;
/** A path, a number or an identifier is no word: with another one it is another question. */
const WORD = /^[\p{L}\p{M}'’-]+$/u;

/** Whether two calls of one tool put the same question in other words: they differ in nothing but words of a phrase. */
export function isReworded(a: ToolIdentity, b: ToolIdentity): boolean {
  if (a.digest !== undefined || b.digest !== undefined) return false;
  const [one, two] = [fieldsOf(a), fieldsOf(b)];
  if (one.size !== two.size) return false;
  return [...one].every(([name, value]) => {
    const other = two.get(name);
    return other === value || (other !== undefined && sameQuestion(value, other));
  });
}

function sameQuestion(a: string, b: string): boolean {
  const [one, two] = [wordsOf(a), wordsOf(b)];
  if (Math.min(one.size, two.size) < LEAST_WORDS) return false;
  const common = [...one].filter((word) => two.has(word)).length;
  const different = [...one, ...two].filter((word) => !(one.has(word) && two.has(word)));
  if (!different.every((word) => WORD.test(word))) return false;
  return common / (one.size + two.size - common) >= COMMON_SHARE;
}

/** `Trams,` and `trams` are one word. */
function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().split(/[\s,;:!?()"“”]+/);
  return new Set(words.map((word) => word.replace(/\.$/, '')).filter((word) => word !== ''));
}

/** The arguments by name; what is not text stands as JSON, so that it has no words in common with any. */
function fieldsOf({ arguments: canonical }: ToolIdentity): Map<string, string> {
  const value = parsed(canonical);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return new Map([['', canonical]]);
  return new Map(
    Object.entries(value).map(([name, field]) => [name, typeof field === 'string' ? field : jsonOf(field)]),
  );
}

function jsonOf(value: unknown): string {
  return `\u0000${JSON.stringify(value)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
