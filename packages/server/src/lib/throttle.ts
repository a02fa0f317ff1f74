/** Runs an action at most once per interval, however often it is requested. */
export class Throttle {
  readonly #intervalMs: number;
  readonly #run: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #delayed: ReturnType<typeof setTimeout> | undefined;

  constructor(intervalMs: number, run: () => void) {
    this.#intervalMs = intervalMs;
    this.#run = run;
  }

  /** Runs the action at the end of the current interval. */
  request(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#run();
    }, this.#intervalMs);
  }

  /** Requests the action after a longer delay, unless it is requested earlier. */
  requestAfter(ms: number): void {
    this.#delayed ??= setTimeout(() => {
      this.#delayed = undefined;
      this.request();
    }, ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#delayed);
    this.#timer = undefined;
    this.#delayed = undefined;
  }
}
