const EVERY_MS = 250;

/** One line on the standard error that is rewritten as long work goes on; silent where there is no terminal. */
export class Progress {
  private readonly began = performance.now();
  private shownAt = 0;
  private readonly enabled: boolean;

  constructor(enabled = process.stderr.isTTY) {
    this.enabled = enabled;
  }

  get seconds(): number {
    return (performance.now() - this.began) / 1000;
  }

  /** @param text what is going on, made only when it is shown */
  show(text: () => string): void {
    if (!this.enabled) return;
    const now = performance.now();
    if (now - this.shownAt < EVERY_MS) return;
    this.shownAt = now;
    process.stderr.write(`\r\u001b[K${text()}`);
  }

  clear(): void {
    if (this.enabled && this.shownAt > 0) process.stderr.write('\r\u001b[K');
  }
}
