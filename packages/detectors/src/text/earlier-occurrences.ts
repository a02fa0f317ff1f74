/** Distances from the last `length` units of a text to where they occurred before, nearest first, at most `most`. */
export function earlierOccurrences(text: string, length: number, most: number): number[] {
  const end = text.length - length;
  const latest = text.slice(end);
  const distances: number[] = [];
  for (let at = end; at > 0 && distances.length < most; ) {
    at = text.lastIndexOf(latest, at - 1);
    if (at === -1) break;
    distances.push(end - at);
  }
  return distances;
}
