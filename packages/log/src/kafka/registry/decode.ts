/** Turns the bytes of a value into what its JSON text is made of. @throws Error when they do not fit the schema */
export type Decode = (payload: Buffer) => unknown;

/** A 64-bit integer: a number if it is exact as one, else text. */
export function integer(value: bigint): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
}
