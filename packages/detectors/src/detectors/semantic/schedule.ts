import type { CheckAnswer } from '@loopwatch/contract';

export interface ScheduleOptions {
  /** Turn of the prompt at which the first check runs. */
  readonly afterTurns: number;
  /** Turns between two checks until a model has answered. */
  readonly interval: number;
}

/**
 * Bounds of the interval, in turns: the more confident a model is that it sees a loop, the sooner it is asked again.
 */
const SHORTEST = 5;
const SPREAD = 10;

/** Turns until the next check after an answer: 0.9 leads to 6, 0.1 to 14. */
export function nextInterval(confidence: number): number {
  return Math.round(SHORTEST + SPREAD * (1 - confidence));
}

/** Decides at which turns of a prompt a check runs. At most one check is pending. */
export class CheckSchedule {
  readonly #options: ScheduleOptions;
  /** Turns of the prompt started so far. */
  turn = 0;
  /** The turn of the latest check, answered or not; 0 before the first. */
  #lastCheck = 0;
  /** The interval derived from the last answer; `null` before the first, when the configured interval applies. */
  #answered: number | null = null;
  #pending = false;

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  /** Starts a turn. @returns whether a check is due */
  startTurn(): boolean {
    this.turn += 1;
    if (this.#pending || this.turn < this.#options.afterTurns) return false;
    if (this.#lastCheck > 0 && this.turn - this.#lastCheck < (this.#answered ?? this.#options.interval))
      return false;
    this.#lastCheck = this.turn;
    this.#pending = true;
    return true;
  }

  /** Settles the pending check. One without an answer leaves the interval unchanged. */
  settle(answer: CheckAnswer): void {
    this.#pending = false;
    if ('confidence' in answer) this.#answered = nextInterval(answer.confidence);
  }

  /** Resets for a new prompt. */
  reset(): void {
    this.turn = 0;
    this.#lastCheck = 0;
    this.#answered = null;
    this.#pending = false;
  }

  snapshot(): ScheduleSnapshot {
    return {
      turn: this.turn,
      lastCheck: this.#lastCheck,
      answered: this.#answered,
      pending: this.#pending,
    };
  }

  restore(snapshot: ScheduleSnapshot): void {
    this.turn = snapshot.turn;
    this.#lastCheck = snapshot.lastCheck;
    this.#answered = snapshot.answered;
    this.#pending = snapshot.pending;
  }
}

export interface ScheduleSnapshot {
  readonly turn: number;
  readonly lastCheck: number;
  readonly answered: number | null;
  readonly pending: boolean;
}
