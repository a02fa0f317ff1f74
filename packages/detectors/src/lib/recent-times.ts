/** Maximum stored times; the count stops growing there. */
const MAX_TIMES = 65_536;
/** Lower maximum after a clock jumps back, because every new time is then compared with all others. */
const MAX_DISORDERED_TIMES = 1024;

/**
 * The times of a run of calls; those within a limit of the newest count. With a monotonic clock, adding a time takes
 * constant time.
 */
export class RecentTimes {
  #times: number[] = [];
  /** Index of the oldest time that counts. */
  #head = 0;
  #ordered = true;

  /** Adds a time. @returns how many count now, including this one */
  add(time: number, limitMs: number): number {
    const times = this.#times;
    this.#ordered &&= time >= (times.at(-1) ?? time);
    if (this.#ordered) {
      while (this.#head < times.length && time - (times[this.#head] as number) > limitMs) this.#head += 1;
    } else {
      const tooFar = times.findLastIndex((earlier) => Math.abs(time - earlier) > limitMs);
      this.#head = Math.max(this.#head, tooFar + 1);
    }
    times.push(time);
    if (times.length - this.#head > (this.#ordered ? MAX_TIMES : MAX_DISORDERED_TIMES)) this.#head += 1;
    if (this.#head > 1024 && this.#head * 2 > times.length) {
      times.splice(0, this.#head);
      this.#head = 0;
    }
    return times.length - this.#head;
  }

  clear(): void {
    if (this.#times.length > 0) this.#times = [];
    this.#head = 0;
    this.#ordered = true;
  }

  snapshot(): { readonly times: readonly number[]; readonly ordered: boolean } {
    return { times: this.#times.slice(this.#head), ordered: this.#ordered };
  }

  static restore({ times, ordered }: ReturnType<RecentTimes['snapshot']>): RecentTimes {
    const recent = new RecentTimes();
    recent.#times = [...times];
    recent.#ordered = ordered;
    return recent;
  }
}
