import { delay } from '@loopwatch/platform';

/** Node fires timers with a longer delay at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Schedules events by their own times, by a rate, or at once. */
export class Pace {
  readonly #speed: number;
  readonly #rate: number | undefined;
  readonly #now: () => number;
  #start: { readonly at: number; readonly eventTime: number } | undefined;
  #events = 0;

  /**
   * @param speed how many times faster than the events' own times; 0 ignores them
   * @param rate maximum events per second
   */
  constructor(speed: number, rate: number | undefined, now: () => number = () => performance.now()) {
    this.#speed = speed;
    this.#rate = rate;
    this.#now = now;
  }

  /** Milliseconds to wait before an event of this time (epoch ms) is sent. */
  pauseBefore(eventTime: number): number {
    this.#start ??= { at: this.#now(), eventTime };
    const byTime = this.#speed > 0 ? (eventTime - this.#start.eventTime) / this.#speed : 0;
    const byRate = this.#rate !== undefined && this.#rate > 0 ? (this.#events * 1000) / this.#rate : 0;
    this.#events += 1;
    return Math.max(0, Math.max(byTime, byRate) - (this.#now() - this.#start.at));
  }

  /** Skips pauses of less than a millisecond; they add up to a longer one. */
  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms >= 1) await delay(Math.min(ms, MAX_TIMER_MS), signal);
  }
}
