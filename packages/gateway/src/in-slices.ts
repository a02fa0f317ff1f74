/** Work that can pause: yields how much it has done since the last pause, in units of about 10 ns. */
export type Steps<T> = Generator<number, T>;

/** How much is done in one turn of the event loop: about 10 ms. */
const SLICE = 1_000_000;

/**
 * Does work in slices, between which the event loop serves other requests.
 *
 * @returns the result at once if one slice is enough
 */
export function inSlices<T>(steps: Steps<T>): T | Promise<T> {
  const first = slice(steps);
  return first.done === true ? first.value : remaining(steps);
}

async function remaining<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const next = slice(steps);
    if (next.done === true) return next.value;
  }
}

function slice<T>(steps: Steps<T>): IteratorResult<number, T> {
  let spent = 0;
  let next = steps.next();
  while (next.done !== true) {
    spent += next.value;
    if (spent >= SLICE) break;
    next = steps.next();
  }
  return next;
}
