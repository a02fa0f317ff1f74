/** How far the search may skip, indexed by a hash of two units. Recomputed for each search. */
const SHIFTS = new Uint8Array(256);
const MAX_SHIFT = 255;

/**
 * Distances from the last `length` units of a text to where they occurred before, nearest first, at most `most` of
 * them.
 *
 * Searches backwards with the Boyer-Moore-Horspool algorithm: the first two units of the compared window determine how
 * far away the next possible match is.
 */
export function earlierOccurrences(text: Uint16Array, length: number, most: number): number[] {
  const distances: number[] = [];
  const last = text.length - length;
  SHIFTS.fill(Math.min(length - 1, MAX_SHIFT));
  for (let i = Math.min(length - 2, MAX_SHIFT); i > 0; i -= 1)
    SHIFTS[pairHash(text[last + i] as number, text[last + i + 1] as number)] = i;
  const first = text[last];
  for (let i = last - 1; i >= 0 && distances.length < most; ) {
    if (text[i] === first) {
      let same = 1;
      while (same < length && text[i + same] === text[last + same]) same += 1;
      if (same === length) distances.push(last - i);
    }
    i -= SHIFTS[pairHash(text[i] as number, text[i + 1] as number)] as number;
  }
  return distances;
}

function pairHash(a: number, b: number): number {
  return (a * 31 + b) & 0xff;
}
