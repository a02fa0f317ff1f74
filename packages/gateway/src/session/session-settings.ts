import { Latest } from '../latest.ts';

/** Settings by dotted path. */
export type Settings = Readonly<Record<string, unknown>>;

/** What was set for single sessions, in the dashboard or in a chat, by session; those set last, within a bound. */
export class SessionSettings {
  private readonly sets: Latest<Settings>;

  constructor(limit: number) {
    this.sets = new Latest(limit);
  }

  /** Whether anything is set for any session. */
  get isAny(): boolean {
    for (const [, set] of this.sets) if (Object.keys(set).length > 0) return true;
    return false;
  }

  /** @returns undefined where nothing was ever heard of it; empty where nothing is set any more */
  of(sessionId: string): Settings | undefined {
    return this.sets.get(sessionId);
  }

  note(sessionId: string, set: Settings): void {
    this.sets.note(sessionId, set);
  }
}
