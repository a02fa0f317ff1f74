/** What waits until it is woken. */
export class Waiters {
  readonly #wakes = new Set<() => void>();

  get isEmpty(): boolean {
    return this.#wakes.size === 0;
  }

  /** Resolves at the next {@link wake}, or once the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = () => {
        this.#wakes.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wakes.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }
}
