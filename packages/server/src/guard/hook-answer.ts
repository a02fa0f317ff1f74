import { isOpenAfter } from '@loopwatch/contract';
import type { HookAgent } from '@loopwatch/contract/api';
import { guidanceOf, type PureVerdict } from '@loopwatch/detectors';

/** A hook's answer in the format of its agent; an empty object: continue. */
export type HookAnswer = Readonly<Record<string, unknown>>;

export const CONTINUE: HookAnswer = {};

/** The call may run, but repeats. The agent's user sees the message. */
export function warning(reason: string): HookAnswer {
  return { systemMessage: `Loopwatch: ${reason}` };
}

/**
 * The call must not run.
 *
 * @param stop whether to end the agent's turn as well; Codex does not support that before a call, and would run the call
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

/** Ends the agent's turn. @param reason undefined: it continues */
export function endOf(reason: string | undefined): HookAnswer {
  return reason === undefined ? CONTINUE : { continue: false, stopReason: reason };
}

/** Context for the model, along with a result. @param event the hook's event name */
export function advice(event: string, text: string): HookAnswer {
  return { hookSpecificOutput: { hookEventName: event, additionalContext: text } };
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
