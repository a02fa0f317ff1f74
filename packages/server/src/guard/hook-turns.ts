import type { AgentEvent } from '@loopwatch/contract';
import { LRUCache } from 'lru-cache';

type Call = Extract<AgentEvent, { type: 'tool_call_request' }>;

const MAX_SESSIONS = 2_000;
/** Identical calls side by side. If more begin and none returns, the hook does not tell of results. */
const MAX_ALIKE = 5;
const TURN_STARTED: AgentEvent = { type: 'turn_started' };
const TURN_FINISHED: AgentEvent = { type: 'turn_finished' };

interface Turn<Answer> {
  /** How often each call has begun. */
  readonly calls: Map<string, number>;
  readonly denied: Set<string>;
  /** The answers to calls with ids. */
  readonly answers: Map<string, Promise<Answer>>;
  /** Whether no call returns, so that each one may be the first of a turn. */
  readonly isBlind: boolean;
}

/**
 * Finds the turns of hooked sessions: hooks tell of calls only, so a turn starts with the first call after a result. A denial
 * ends no turn, as other calls of the same response may follow; the denied call itself follows in the next one.
 */
export class HookTurns<Answer> {
  /** By session, in which a call has begun and none has returned since. */
  readonly #turns = new LRUCache<string, Turn<Answer>>({ max: MAX_SESSIONS });

  /**
   * Answers the hook before a call. Two settings files may both name the hook, which is then called twice.
   *
   * @param answer gets the start of the call's turn, unless it runs beside another call
   */
  answer(
    sessionId: string,
    call: Call,
    answer: (begun: readonly AgentEvent[]) => Promise<Answer>,
  ): Promise<Answer> {
    const { callId } = call;
    const id = callId == null ? undefined : `${callId}\n${keyOf(call)}`;
    const known = id === undefined ? undefined : this.#turns.get(sessionId)?.answers.get(id);
    if (known !== undefined) return known;
    const given = answer(this.#begin(sessionId, keyOf(call)));
    if (id !== undefined) this.#turns.get(sessionId)?.answers.set(id, given);
    return given;
  }

  #begin(sessionId: string, key: string): readonly AgentEvent[] {
    const turn = this.#turns.get(sessionId);
    const count = turn?.calls.get(key) ?? 0;
    const isBlind = turn?.isBlind === true || count >= MAX_ALIKE;
    if (turn !== undefined && !turn.denied.has(key) && (count === 0 || !isBlind)) {
      turn.calls.set(key, count + 1);
      return [];
    }
    this.#turns.set(sessionId, {
      calls: new Map([[key, 1]]),
      denied: new Set(),
      answers: new Map(),
      isBlind,
    });
    return turn === undefined ? [TURN_STARTED] : [TURN_FINISHED, TURN_STARTED];
  }

  /** Call when a call was denied. */
  deny(sessionId: string, call: Call): void {
    this.#turns.get(sessionId)?.denied.add(keyOf(call));
  }

  /** Call when a call has returned, after a batch of calls, and at a prompt. @returns the end of the turn, if one has begun */
  end(sessionId: string): readonly AgentEvent[] {
    return this.#turns.delete(sessionId) ? [TURN_FINISHED] : [];
  }
}

function keyOf({ name, args }: Call): string {
  return JSON.stringify([name, args]);
}
