/**
 * Distances from the last `length` units of a text to where they occurred before, nearest first, at most `most` of
 * them.
 */
export function earlierOccurrences(text: string, length: number, most: number): number[] {
  const distances: number[] = [];
  const last = Math.max(0, text.length - length);
  const latest = text.slice(last);
  for (let i = last; i > 0 && distances.length < most; ) {
    i = text.lastIndexOf(latest, i - 1);
    if (i >= 0) distances.push(last - i);
  }
  return distances;
}
