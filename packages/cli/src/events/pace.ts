import { setTimeout as delay } from 'node:timers/promises';

/** Node fires a timer at once that is set further ahead than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** When the next event is due: by the events' own times, by a rate, or at once. */
export class Pace {
  private readonly speed: number;
  private readonly rate: number | undefined;
  private readonly now: () => number;
  private begun: { readonly at: number; readonly eventTime: number } | undefined;
  private events = 0;

  /**
   * @param speed how many times faster than the events' times; 0: regardless of them
   * @param rate events a second, at most
   */
  constructor(speed: number, rate: number | undefined, now: () => number = () => performance.now()) {
    this.speed = speed;
    this.rate = rate;
    this.now = now;
  }

  /** Milliseconds to wait before an event of this time (epoch ms) is sent. */
  pauseBefore(eventTime: number): number {
    this.begun ??= { at: this.now(), eventTime };
    const byTime = this.speed > 0 ? (eventTime - this.begun.eventTime) / this.speed : 0;
    const byRate = this.rate !== undefined && this.rate > 0 ? (this.events * 1000) / this.rate : 0;
    this.events += 1;
    return Math.max(0, Math.max(byTime, byRate) - (this.now() - this.begun.at));
  }

  /** Pauses of less than a millisecond add up to one that is worth waiting for. */
  async wait(ms: number): Promise<void> {
    if (ms >= 1) await delay(Math.min(ms, LONGEST_TIMER_MS));
  }
}
