import { LRUCache } from 'lru-cache';

/** Settings by dotted path. */
export type Settings = Readonly<Record<string, unknown>>;

/** Settings of single sessions, made in the dashboard or in a chat: the latest ones, within a bound. */
export class SessionSettings {
  readonly #bySession: LRUCache<string, Settings>;

  constructor(limit: number) {
    this.#bySession = new LRUCache({ max: limit });
  }

  /** Whether any session has settings. */
  get isAny(): boolean {
    for (const set of this.#bySession.values()) if (Object.keys(set).length > 0) return true;
    return false;
  }

  /** @returns undefined if none are known; empty if all were removed */
  of(sessionId: string): Settings | undefined {
    return this.#bySession.get(sessionId);
  }

  set(sessionId: string, set: Settings): void {
    this.#bySession.set(sessionId, set);
  }
}
