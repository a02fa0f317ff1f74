import { printable } from '../runtime/output.ts';

const INTERVAL_MS = 250;

/** A progress line on stderr that is rewritten in place; silent without a terminal. */
export class Progress {
  readonly #startedAt = performance.now();
  #shownAt = 0;
  readonly #isEnabled: boolean;

  constructor(enabled = process.stderr.isTTY) {
    this.#isEnabled = enabled;
  }

  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** @param text called only when the line is written */
  show(text: () => string): void {
    if (!this.#isEnabled) return;
    const now = performance.now();
    if (now - this.#shownAt < INTERVAL_MS) return;
    this.#shownAt = now;
    process.stderr.write(`\r\u001b[K${printable(text())}`);
  }

  clear(): void {
    if (this.#isEnabled && this.#shownAt > 0) process.stderr.write('\r\u001b[K');
  }
}
