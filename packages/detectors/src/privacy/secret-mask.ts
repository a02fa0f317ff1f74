import { MASK, maskSecrets } from './mask.ts';
import type { MaskPatterns } from './mask-patterns.ts';

/** Units that a cut has to leave of a secret to be masked: fewer say little, and are part of many words. */
const MIN_REST = 4;
/** Units from which on a secret is masked also where nothing tells it from other text; less may be any word. */
const MIN_WHOLE = 8;
/** Where a text is quoted or cut within another one. */
const EDGES = /([“”…])/;

/**
 * Masks texts that belong together. Most were cut before they come here, and a cut may go through a secret: what is left of
 * it no pattern matches any more. But what repeats is whole somewhere else, so what begins or ends as a known secret goes on
 * or stops is masked as well.
 */
export class SecretMask {
  private readonly patterns: MaskPatterns;
  private readonly secrets = new Set<string>();

  constructor(patterns: MaskPatterns) {
    this.patterns = patterns;
  }

  /** Masks all secrets that are whole, and notes them for {@link maskRests}. */
  mask(text: string): string {
    return maskSecrets(text, this.patterns, (secret) => this.secrets.add(secret));
  }

  /** Whether there is anything to be done by {@link maskRests}. */
  get hasSecrets(): boolean {
    return this.secrets.size > 0;
  }

  /** Masks what cuts have left of the secrets in a masked text; to be called once all texts have been masked. */
  maskRests(text: string): string {
    // What is part of a longer one comes behind it.
    const secrets = [...this.secrets].sort((a, b) => b.length - a.length);
    return text
      .split(EDGES)
      .map((part, i) => (i % 2 === 1 ? part : maskEdges(part, secrets)))
      .join('');
  }
}

function maskEdges(part: string, secrets: readonly string[]): string {
  let masked = part;
  for (const secret of secrets) {
    // A cut may have taken what tells it, such as its key.
    if (secret.length >= MIN_WHOLE) masked = masked.replaceAll(secret, MASK);
    if (masked.length >= MIN_REST && secret.includes(masked)) return MASK;
    const head = restLength(secret, (length) => masked.startsWith(secret.slice(-length)));
    if (head > 0) masked = MASK + masked.slice(head);
    const tail = restLength(secret, (length) => masked.endsWith(secret.slice(0, length)));
    if (tail > 0) masked = masked.slice(0, -tail) + MASK;
  }
  return masked;
}

/** The longest part of a secret, but not all of it, that is there; 0 where none is. */
function restLength(secret: string, isThere: (length: number) => boolean): number {
  for (let length = secret.length - 1; length >= MIN_REST; length -= 1) if (isThere(length)) return length;
  return 0;
}
