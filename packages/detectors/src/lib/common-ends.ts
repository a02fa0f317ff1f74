/** How far two texts or lists agree from the beginning, and what then remains from the end. */
export interface CommonEnds {
  readonly begin: number;
  readonly end: number;
}

export function commonEnds(a: ArrayLike<unknown>, b: ArrayLike<unknown>): CommonEnds {
  const shorter = Math.min(a.length, b.length);
  let begin = 0;
  while (begin < shorter && a[begin] === b[begin]) begin += 1;
  let end = 0;
  while (end < shorter - begin && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return { begin, end };
}
