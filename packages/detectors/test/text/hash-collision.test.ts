import { describe, expect, test } from 'vitest';
import { uniqueText } from '../golden-case.ts';
import { run, text } from '../sessions.ts';

/** Of a window of 50 units so many are hashed: pieces of this length are sampled, one that ends at every eighth unit. */
const HASHED = 43;

/** The hash of such a piece, as `echo-finder.ts` computes it. */
function hashOf(piece: string): number {
  let hash = 0;
  for (let i = 0; i < piece.length; i += 1) hash = (Math.imul(hash, 0x9e3779b1) + piece.charCodeAt(i)) | 0;
  return hash;
}

/** Two different pieces of one hash: among so many there are some, since a hash has only 32 bits. */
function collision(): readonly [string, string] {
  const seen = new Map<number, string>();
  for (let seed = 1; ; seed += 1) {
    const piece = uniqueText(HASHED, seed);
    const hash = hashOf(piece);
    const other = seen.get(hash);
    if (other !== undefined && other !== piece) return [other, piece];
    seen.set(hash, piece);
  }
}

describe('two contents with the same hash', () => {
  const [a, b] = collision();
  /** 64 units in which the piece ends where one is sampled. */
  const block = (piece: string): string => `${'before it'.padEnd(13, '.')}${piece}; behind`;

  test('are told apart: fourteen alternating blocks are seven of each', () => {
    expect(a).not.toBe(b);
    expect(hashOf(a)).toBe(hashOf(b));
    expect(block(a)).toHaveLength(64);
    expect(run([text((block(a) + block(b)).repeat(7))])).toEqual([]);
  });

  test('would be a loop if equal, as fourteen of one are', () => {
    const [verdict] = run([text(block(a).repeat(14))]);
    expect(verdict).toMatchObject({ phase: 'opened', detector: 'content-repeat', count: 10 });
  });
});
