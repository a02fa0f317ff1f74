import type { HookAgent } from '@loopwatch/contract/api';
import type { Decision } from '@loopwatch/detectors';

/** What a hook says to its agent, in the agent's own words; an empty object: nothing. */
export type HookAnswer = Readonly<Record<string, unknown>>;

export const NOTHING: HookAnswer = {};

/** What the agent is told where a call may run but repeats: its user sees it. */
export function warning(reason: string): HookAnswer {
  return { systemMessage: `Loopwatch: ${reason}` };
}

/**
 * The call must not run.
 *
 * @param stop whether the agent should not go on either; Codex knows no such thing before a call, and would run it
 */
export function denial(agent: HookAgent, text: string, stop: boolean): HookAnswer {
  const ended = stop && agent !== 'codex' ? { continue: false, stopReason: text } : {};
  if (agent === 'gemini') return { decision: 'deny', reason: text, ...ended };
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: text,
    },
    ...ended,
  };
}

/** What the model is to know beside a result. @param event the hook's own name for the moment */
export function advice(event: string, text: string): HookAnswer {
  return { hookSpecificOutput: { hookEventName: event, additionalContext: text } };
}

/** A stopped session makes no further call; a loop may still be left another way. */
export function stopsAgent({ incidentId }: Decision): boolean {
  return incidentId === null;
}
