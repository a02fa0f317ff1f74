import { MASK, maskSecrets } from './mask.ts';
import type { MaskPatterns } from './mask-patterns.ts';

/** Minimum units of a secret's rest to be masked: fewer reveal little and occur in many words. */
const MIN_REST = 4;
/** Minimum units of a known secret to be masked anywhere; a shorter one may be an ordinary word. */
const MIN_WHOLE = 8;
/** Marks of a quoted or truncated text within another. */
const EDGES = /([“”…])/;

/**
 * Masks texts that belong together. Most are already truncated, and a cut may split a secret so that no pattern
 * matches its rest. But repeated text is complete somewhere else, so rests that match the beginning or end of a known
 * secret are masked too.
 */
export class SecretMask {
  readonly #patterns: MaskPatterns;
  readonly #secrets = new Set<string>();

  constructor(patterns: MaskPatterns) {
    this.#patterns = patterns;
  }

  /** Masks all complete secrets, and notes them for {@link maskRests}. */
  mask(text: string): string {
    return maskSecrets(text, this.#patterns, (secret) => this.#secrets.add(secret));
  }

  /** Whether {@link maskRests} has anything to do. */
  get hasSecrets(): boolean {
    return this.#secrets.size > 0;
  }

  /** Masks the rests of truncated secrets in a masked text. Call after all texts have been masked. */
  maskRests(text: string): string {
    // Longest first, so that a secret comes after any that contains it.
    const secrets = [...this.#secrets].sort((a, b) => b.length - a.length);
    return text
      .split(EDGES)
      .map((part, i) => (i % 2 === 1 ? part : maskEdges(part, secrets)))
      .join('');
  }
}

function maskEdges(part: string, secrets: readonly string[]): string {
  let masked = part;
  for (const secret of secrets) {
    // A cut may have removed what identifies it, such as its key.
    if (secret.length >= MIN_WHOLE) masked = masked.replaceAll(secret, MASK);
    if (masked.length >= MIN_REST && secret.includes(masked)) return MASK;
    const head = restLength(secret, (length) => masked.startsWith(secret.slice(-length)));
    if (head > 0) masked = MASK + masked.slice(head);
    const tail = restLength(secret, (length) => masked.endsWith(secret.slice(0, length)));
    if (tail > 0) masked = masked.slice(0, -tail) + MASK;
  }
  return masked;
}

/** Length of the longest proper part of a secret that is present; 0 if none is. */
function restLength(secret: string, isThere: (length: number) => boolean): number {
  for (let length = secret.length - 1; length >= MIN_REST; length -= 1) if (isThere(length)) return length;
  return 0;
}
