import { LRUCache } from 'lru-cache';
export interface BudgetLimits {
  readonly maxConcurrent: number;
  readonly perMinute: number;
  readonly perSession: number;
}

const MINUTE_MS = 60_000;
/** Sessions whose calls are counted; the least recently active one is dropped first. */
const MAX_SESSIONS = 10_000;

/** Counts model calls and decides whether another one may start. It never waits itself. */
export class CallBudget {
  readonly #limits: BudgetLimits;
  readonly #now: () => number;
  #running = 0;
  /** Start times of the calls in the last minute, oldest first. */
  #startedAt: number[] = [];
  readonly #sessions = new LRUCache<string, number>({ max: MAX_SESSIONS });

  constructor(limits: BudgetLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /** @returns `run`: the call is counted and {@link done} must follow; `wait`: try later; `never`: the session's limit is reached */
  admit(sessionId: string): 'run' | 'wait' | 'never' {
    const calls = this.#sessions.get(sessionId) ?? 0;
    if (calls >= this.#limits.perSession) return 'never';
    this.#forgetOld();
    if (this.#running >= this.#limits.maxConcurrent || this.#startedAt.length >= this.#limits.perMinute)
      return 'wait';
    this.#running += 1;
    this.#startedAt.push(this.#now());
    this.#sessions.set(sessionId, calls + 1);
    return 'run';
  }

  done(): void {
    this.#running -= 1;
  }

  /** Milliseconds until the limit per minute allows another call; 0 if it does now. */
  get waitMs(): number {
    this.#forgetOld();
    const { perMinute } = this.#limits;
    const blocking = this.#startedAt[this.#startedAt.length - perMinute];
    return blocking === undefined ? 0 : Math.max(1, blocking + MINUTE_MS - this.#now());
  }

  #forgetOld(): void {
    const since = this.#now() - MINUTE_MS;
    const first = this.#startedAt.findIndex((at) => at > since);
    if (first !== 0) this.#startedAt = first === -1 ? [] : this.#startedAt.slice(first);
  }
}
