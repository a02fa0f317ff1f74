import type { AgentEvent } from '@loopwatch/contract';
import { LRUCache } from 'lru-cache';

const MAX_SESSIONS = 2_000;
const TURN_STARTED: AgentEvent = { type: 'turn_started' };
const TURN_FINISHED: AgentEvent = { type: 'turn_finished' };

/** Finds the turns of hooked sessions: hooks tell of calls only, so a turn starts with the first call after a result. */
export class HookTurns {
  /** Sessions in which a call has begun and none has returned since. */
  readonly #calling = new LRUCache<string, true>({ max: MAX_SESSIONS });

  /** Call before a call. @returns the start of its turn, unless it runs beside another call */
  begin(sessionId: string): readonly AgentEvent[] {
    if (this.#calling.has(sessionId)) return [];
    this.#calling.set(sessionId, true);
    return [TURN_STARTED];
  }

  /** Call when a call has returned or was denied, and at a prompt. @returns the end of its turn, if one has begun */
  end(sessionId: string): readonly AgentEvent[] {
    return this.#calling.delete(sessionId) ? [TURN_FINISHED] : [];
  }
}
