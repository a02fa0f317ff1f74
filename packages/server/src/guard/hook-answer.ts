import { isOpenAfter } from '@loopwatch/contract';
import type { HookAgent } from '@loopwatch/contract/api';
import type { PureVerdict } from '@loopwatch/detectors';
import { guidanceOf } from '@loopwatch/detectors/internal';

/** A hook's answer in the format of its agent; an empty object: continue. */
export type HookAnswer = Readonly<Record<string, unknown>>;

export const CONTINUE: HookAnswer = {};

/** The call may run, but repeats. The agent's user sees the message. */
export function warning(reason: string): HookAnswer {
  return { systemMessage: `Loopwatch: ${reason}` };
}

const onlyDeny: ReadonlySet<HookAgent> = new Set(['codex', 'cursor', 'kimi', 'grok', 'hermes']);

/**
 * The call must not run.
 *
 * @param stop whether to end the agent's turn as well. Codex does not support that before a call, and would run the call; Cursor,
 *   Copilot CLI, Kimi Code, Grok Build and Hermes have nothing for it, but Visual Studio Code, which calls the same hooks as
 *   Copilot CLI, has.
 */
export function denial(agent: HookAgent, text: string, stop: boolean): HookAnswer {
  const ended = stop && !onlyDeny.has(agent) ? { continue: false, stopReason: text } : {};
  if (agent === 'gemini') return { decision: 'deny', reason: text, ...ended };
  if (agent === 'hermes') return { decision: 'block', reason: text };
  if (agent === 'cursor') return { permission: 'deny', user_message: text, agent_message: text };
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: text,
    },
    ...ended,
  };
}

/**
 * The agent asks its user whether the call may run.
 *
 * @returns undefined for agents that cannot, or that would run the call
 */
export function question(agent: HookAgent, reason: string): HookAnswer | undefined {
  if (agent !== 'claude-code') return undefined;
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: 'ask',
      permissionDecisionReason: `Loopwatch: ${reason}`,
    },
  };
}

/** Ends the agent's turn. @param reason undefined: it continues */
export function endOf(reason: string | undefined): HookAnswer {
  return reason === undefined ? CONTINUE : { continue: false, stopReason: reason };
}

/** The prompt may be sent. Cursor asks for more than silence. */
export function acceptance(agent: HookAgent): HookAnswer {
  return agent === 'cursor' ? { continue: true } : CONTINUE;
}

/** Context for the model, along with a result. @param event the hook's event name */
export function advice(agent: HookAgent, event: string, text: string): HookAnswer {
  if (agent === 'cursor') return { additional_context: text };
  return {
    // Copilot CLI reads this, Visual Studio Code the other.
    ...(agent === 'copilot' && { additionalContext: text }),
    hookSpecificOutput: { hookEventName: event, additionalContext: text },
  };
}

/** The open loop that these verdicts tell of, with guidance for the model to read before its next call. */
export function loopIn(
  verdicts: readonly PureVerdict[],
): { readonly guidance: string; readonly reason: string; readonly incidentId: string } | undefined {
  const loop = verdicts.find(
    (verdict) => verdict.kind === 'loop' && isOpenAfter(verdict) && verdict.action !== 'warn',
  );
  return loop && { guidance: guidanceOf(loop), reason: loop.reason, incidentId: loop.incidentId };
}
