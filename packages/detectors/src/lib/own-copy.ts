/** A copy of part of a text; an engine's slice would keep the whole text alive. */
export function ownCopy(text: string, from: number, to: number): string {
  // The sum is copied when it is sliced.
  return ` ${text.slice(from, to)}`.slice(1);
}
