export interface BudgetLimits {
  readonly maxConcurrent: number;
  readonly perMinute: number;
  readonly perSession: number;
}

const MINUTE_MS = 60_000;
/** Sessions whose calls are remembered; the one that called least recently goes first. */
const MAX_SESSIONS = 10_000;

/** Counts calls of a model, and says whether another one may be made. It waits for nothing itself. */
export class CallBudget {
  private readonly limits: BudgetLimits;
  private readonly now: () => number;
  private running = 0;
  /** When the calls of the last minute began, oldest first. */
  private begun: number[] = [];
  private readonly sessions = new Map<string, number>();

  constructor(limits: BudgetLimits, now: () => number) {
    this.limits = limits;
    this.now = now;
  }

  /** @returns `run`: the call is counted, and {@link done} has to follow; `wait`: later; `never`: the session had its share */
  admit(sessionId: string): 'run' | 'wait' | 'never' {
    const calls = this.sessions.get(sessionId) ?? 0;
    if (calls >= this.limits.perSession) return 'never';
    this.forgetOld();
    if (this.running >= this.limits.maxConcurrent || this.begun.length >= this.limits.perMinute)
      return 'wait';
    this.running += 1;
    this.begun.push(this.now());
    this.sessions.delete(sessionId);
    this.sessions.set(sessionId, calls + 1);
    for (const oldest of this.sessions.keys()) {
      if (this.sessions.size <= MAX_SESSIONS) break;
      this.sessions.delete(oldest);
    }
    return 'run';
  }

  done(): void {
    this.running -= 1;
  }

  /** Milliseconds until the minute has room again; 0 when it has. */
  get waitMs(): number {
    this.forgetOld();
    const { perMinute } = this.limits;
    const blocking = this.begun[this.begun.length - perMinute];
    return blocking === undefined ? 0 : Math.max(1, blocking + MINUTE_MS - this.now());
  }

  private forgetOld(): void {
    const since = this.now() - MINUTE_MS;
    const first = this.begun.findIndex((at) => at > since);
    if (first !== 0) this.begun = first === -1 ? [] : this.begun.slice(first);
  }
}
