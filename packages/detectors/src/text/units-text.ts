/** Maximum arguments of a call. */
const MAX_ARGUMENTS = 4096;

/** The text of the units from `from` up to `to`. */
export function unitsText(units: Uint16Array, from: number, to: number): string {
  let text = '';
  for (let i = from; i < to; i += MAX_ARGUMENTS) {
    const some: ArrayLike<number> = units.subarray(i, Math.min(to, i + MAX_ARGUMENTS));
    text += String.fromCharCode.apply(null, some as number[]);
  }
  return text;
}

/** The text of `size` units in a ring, before the slot `end`; a negative slot counts from the ring's end. */
export function ringText(ring: Uint16Array, end: number, size: number): string {
  const to = end < 0 ? end + ring.length : end;
  const from = to - size;
  return from < 0
    ? unitsText(ring, from + ring.length, ring.length) + unitsText(ring, 0, to)
    : unitsText(ring, from, to);
}

/** Copies the units of `text` from `from` up to `to` to the beginning of `units`. @returns their number */
export function copyUnits(text: string, from: number, to: number, units: Uint16Array): number {
  const size = to - from;
  for (let i = 0; i < size; i += 1) units[i] = text.charCodeAt(from + i);
  return size;
}
