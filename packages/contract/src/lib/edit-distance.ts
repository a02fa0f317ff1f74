/** Units of the first text that fit into one number, as bits. */
const BLOCK = 32;
/** By unit: where it stands in the current block of the first text, as bits; all 0 between calls. */
const places = new Int32Array(0x1_00_00);

/**
 * The number of units to insert, delete or replace that turn one text into the other (Levenshtein). G. Myers, "A fast
 * bit-vector algorithm for approximate string matching based on dynamic programming", 1999: of the table of distances
 * it computes the differences between neighbors, 32 rows at a time.
 */
export function editDistance(a: string, b: string): number {
  // In the last row so far, by how much each distance differs from the one to the left.
  const steps = new Array<number>(b.length).fill(1);
  for (let from = 0; from < a.length; from += BLOCK) {
    const last = Math.min(BLOCK, a.length - from) - 1;
    for (let i = 0; i <= last; i += 1) {
      const unit = a.charCodeAt(from + i);
      places[unit] = (places[unit] as number) | (1 << i);
    }
    // In the current column, where a distance is larger and where it is smaller than the one above.
    let larger = -1;
    let smaller = 0;
    for (let at = 0; at < b.length; at += 1) {
      const here = places[b.charCodeAt(at)] as number;
      const step = steps[at] as number;
      const falls = step >>> 31;
      const equal = here | falls;
      const same = (((equal & larger) + larger) ^ larger) | equal;
      const up = smaller | ~(same | larger);
      const down = larger & same;
      steps[at] = ((up >>> last) & 1) - ((down >>> last) & 1);
      const below = (up << 1) | ((step + 1) >> 1);
      const changed = here | smaller;
      larger = (down << 1) | falls | ~(changed | below);
      smaller = below & changed;
    }
    for (let i = 0; i <= last; i += 1) places[a.charCodeAt(from + i)] = 0;
  }
  let edits = a.length;
  for (let at = 0; at < b.length; at += 1) edits += steps[at] as number;
  return edits;
}
