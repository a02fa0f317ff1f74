import type { Settings } from './gateway-session.ts';

/** What was set for single sessions, in the dashboard or in a chat, by session; those set last, within a bound. */
export class SessionSettings {
  private readonly sets = new Map<string, Settings>();
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Whether anything is set for any session. */
  get isAny(): boolean {
    for (const set of this.sets.values()) if (Object.keys(set).length > 0) return true;
    return false;
  }

  /** @returns undefined where nothing was ever heard of it; empty where nothing is set any more */
  of(sessionId: string): Settings | undefined {
    return this.sets.get(sessionId);
  }

  note(sessionId: string, set: Settings): void {
    this.sets.delete(sessionId);
    this.sets.set(sessionId, set);
    const [oldest] = this.sets.keys();
    if (this.sets.size > this.limit && oldest !== undefined) this.sets.delete(oldest);
  }
}
