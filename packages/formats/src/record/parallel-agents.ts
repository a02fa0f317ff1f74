import type { AgentEvent } from '@loopwatch/contract';
import { remember } from './remember.ts';

/** Sessions to remember. */
const MAX_SESSIONS = 1000;

interface Step {
  readonly agents: Set<string>;
  /** Calls without a result. */
  readonly waiting: Set<string>;
}

/**
 * Makes one turn of those of several agents that work in one session at the same time: each would otherwise seem to repeat the calls of
 * the others. A second turn of the same agent begins the next one.
 */
export class ParallelAgents {
  readonly #steps = new Map<string, Step>();

  join(events: readonly AgentEvent[]): readonly AgentEvent[] {
    return events.filter((event) => this.#isKept(event));
  }

  #isKept({ type, sessionId, agent, callId }: AgentEvent): boolean {
    if (typeof sessionId !== 'string') return true;
    const step = this.#steps.get(sessionId);
    if (type === 'tool_call_request' && typeof callId === 'string') step?.waiting.add(callId);
    if (type === 'tool_result' && typeof callId === 'string') step?.waiting.delete(callId);
    if (type !== 'turn_started' || typeof agent !== 'string') return true;
    if (step !== undefined && step.waiting.size > 0 && !step.agents.has(agent)) {
      step.agents.add(agent);
      return false;
    }
    remember(this.#steps, sessionId, { agents: new Set([agent]), waiting: new Set() }, MAX_SESSIONS);
    return true;
  }
}
