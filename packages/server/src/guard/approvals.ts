import type { AgentEvent } from '@loopwatch/contract';
import { LRUCache } from 'lru-cache';

/** Calls that one approval is for, the first included. */
const CALLS_PER_APPROVAL = 10;
/** Questions without an approval after which the agent's user is taken to be away, or to refuse. */
const MAX_UNANSWERED = 3;
const MAX_SESSIONS = 2_000;

/** Approvals of calls beyond a limit. The agent asks its user; that a call has run means that it was approved. */
export class Approvals {
  /** Calls that the user was asked about since the latest prompt or approval, by session. */
  readonly #asked = new LRUCache<string, readonly unknown[]>({ max: MAX_SESSIONS });
  /** Calls that are still approved, by session. */
  readonly #left = new LRUCache<string, number>({ max: MAX_SESSIONS });

  /** @returns whether to ask about this call */
  ask(sessionId: string, callId: unknown): boolean {
    const asked = this.#asked.get(sessionId) ?? [];
    if (asked.length >= MAX_UNANSWERED) return false;
    this.#asked.set(sessionId, [...asked, callId ?? null]);
    return true;
  }

  onEvents(sessionId: string, events: readonly AgentEvent[]): void {
    for (const event of events) {
      if (event.type === 'prompt_started') this.#asked.delete(sessionId);
      if (event.type === 'tool_result') this.#onResult(sessionId, event.callId ?? null);
    }
  }

  #onResult(sessionId: string, callId: unknown): void {
    if (this.#asked.get(sessionId)?.includes(callId) !== true) return;
    this.#asked.delete(sessionId);
    this.#left.set(sessionId, CALLS_PER_APPROVAL - 1);
  }

  /** Uses one approved call. @returns whether there was one */
  take(sessionId: string): boolean {
    const left = this.#left.get(sessionId) ?? 0;
    if (left === 0) return false;
    this.#left.set(sessionId, left - 1);
    return true;
  }
}
