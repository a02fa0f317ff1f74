import type { CheckAnswer } from '@loopwatch/contract';

export interface ScheduleOptions {
  /** The first check comes with this turn of the prompt. */
  readonly afterTurns: number;
  /** Turns between two checks as long as no model has answered. */
  readonly interval: number;
}

/** Bounds of the interval: the surer a model is that it sees a loop, the sooner it is asked again. */
const SHORTEST = 5;
const SPREAD = 10;

/** Turns until the next check after an answer: 0.9 leads to 6, 0.1 to 14. */
export function nextInterval(confidence: number): number {
  return Math.round(SHORTEST + SPREAD * (1 - confidence));
}

/** When a prompt's turns are checked. At most one check is under way. */
export class CheckSchedule {
  private readonly options: ScheduleOptions;
  /** Turns of the prompt that have begun. */
  turn = 0;
  /** The turn that asked last, 0 before the first; those that got no answer count too. */
  private lastCheck = 0;
  /** What the last answer led to; `null` before the first, when the configured interval holds. */
  private answered: number | null = null;
  private pending = false;

  constructor(options: ScheduleOptions) {
    this.options = options;
  }

  /** A turn begins. @returns whether it asks */
  startTurn(): boolean {
    this.turn += 1;
    if (this.pending || this.turn < this.options.afterTurns) return false;
    if (this.lastCheck > 0 && this.turn - this.lastCheck < (this.answered ?? this.options.interval))
      return false;
    this.lastCheck = this.turn;
    this.pending = true;
    return true;
  }

  /** The check under way has ended. One without an answer leaves the interval as it is. */
  settle(answer: CheckAnswer): void {
    this.pending = false;
    if ('confidence' in answer) this.answered = nextInterval(answer.confidence);
  }

  /** A new prompt: nothing of the last one counts. */
  reset(): void {
    this.turn = 0;
    this.lastCheck = 0;
    this.answered = null;
    this.pending = false;
  }

  snapshot(): ScheduleSnapshot {
    const { turn, lastCheck, answered, pending } = this;
    return { turn, lastCheck, answered, pending };
  }

  restore(snapshot: ScheduleSnapshot): void {
    Object.assign(this, snapshot);
  }
}

export interface ScheduleSnapshot {
  readonly turn: number;
  readonly lastCheck: number;
  readonly answered: number | null;
  readonly pending: boolean;
}
