/**
 * Distances from the last `length` units of a text to where they occurred before, nearest first, no farther than
 * `farthest`, at most `most` of them. The text ends at the slot `end` of a ring, and is compared where it is: a copy of
 * it would take longer than the search.
 */
export function earlierOccurrences(
  ring: Uint16Array,
  end: number,
  length: number,
  farthest: number,
  most: number,
): number[] {
  const unitAt = (slot: number) => ring[slot < 0 ? slot + ring.length : slot];
  const last = unitAt(end);
  const distances: number[] = [];
  for (let distance = 1; distance <= farthest && distances.length < most; distance += 1) {
    if (unitAt(end - distance) !== last) continue;
    let back = 1;
    while (back < length && unitAt(end - back) === unitAt(end - back - distance)) back += 1;
    if (back === length) distances.push(distance);
  }
  return distances;
}
