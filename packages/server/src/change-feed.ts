/** Holds back what changed, so that it is told at most once per interval however fast changes come. */
export class ChangeFeed {
  private readonly changed = new Set<string>();
  private readonly intervalMs: number;
  private readonly flush: (ids: readonly string[]) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** @param flush gets the ids that changed since the last call, each once */
  constructor(intervalMs: number, flush: (ids: readonly string[]) => void) {
    this.intervalMs = intervalMs;
    this.flush = flush;
  }

  add(id: string): void {
    this.changed.add(id);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const ids = [...this.changed];
      this.changed.clear();
      this.flush(ids);
    }, this.intervalMs);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.changed.clear();
  }
}
