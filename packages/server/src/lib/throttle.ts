/** Does something at most once per interval, however often it is asked for. */
export class Throttle {
  readonly #intervalMs: number;
  readonly #act: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #later: ReturnType<typeof setTimeout> | undefined;

  constructor(intervalMs: number, act: () => void) {
    this.#intervalMs = intervalMs;
    this.#act = act;
  }

  /** Once the interval is over. */
  ask(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#act();
    }, this.#intervalMs);
  }

  /** After a longer time, unless it is asked for before. */
  askLater(ms: number): void {
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      this.ask();
    }, ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#later);
    this.#timer = undefined;
    this.#later = undefined;
  }
}
