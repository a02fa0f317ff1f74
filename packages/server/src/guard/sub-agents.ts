import { hookEventOf, hookSession } from '@loopwatch/formats';
import { LRUCache } from 'lru-cache';

const MAX_SESSIONS = 2_000;

type HookInput = Readonly<Record<string, unknown>>;

/** The sub-agents of a session. */
interface Running {
  readonly count: number;
  /** How many have ever started. */
  readonly started: number;
}

const NONE: Running = { count: 0, started: 0 };

/**
 * Attributes calls to sub-agents where hooks only tell that one starts or stops, as those of Kimi Code do: as long as one runs, the
 * calls are its own. Whose they are where several run is unknown, and equal calls of theirs are no loop.
 */
export class SubAgents {
  readonly #sessions = new LRUCache<string, Running>({ max: MAX_SESSIONS });

  /** @returns the input, of a sub-agent if one runs; undefined if it tells nothing that could be attributed */
  attributed(input: HookInput): HookInput | undefined {
    const { sessionId } = hookSession(input);
    const { count, started } = this.#sessions.get(sessionId) ?? NONE;
    const event = hookEventOf(input);
    if (event === 'SubagentStart') this.#sessions.set(sessionId, { count: count + 1, started: started + 1 });
    if (event === 'SubagentStop') this.#sessions.set(sessionId, { count: Math.max(0, count - 1), started });
    // Its last stop may have been lost.
    if (event === 'TurnStarted' && input['origin_kind'] === 'user')
      this.#sessions.set(sessionId, { count: 0, started });
    if (!/ToolUse/.test(event) || count === 0) return input;
    return count === 1 ? { ...input, agent_id: `sub-${String(started)}` } : undefined;
  }
}
