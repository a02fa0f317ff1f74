/** How long one piece of work may keep the event loop. */
const sliceMs = 8;

/** Cuts long work into slices, of which each turn of the event loop runs one, however many requests have some. */
export class TimeSlicer {
  #last: Promise<void> = Promise.resolve();

  /** Whether a slice that began then is over. */
  isOver(began: number): boolean {
    return performance.now() - began > sliceMs;
  }

  /** Resolves when the next slice may run. @returns when it begins */
  next(): Promise<number> {
    const turn = this.#last.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    this.#last = turn;
    return turn.then(() => performance.now());
  }
}
