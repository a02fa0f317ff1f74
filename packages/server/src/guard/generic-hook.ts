import type { GenericHook, GenericHookAnswer } from '@loopwatch/contract/api';
import { isRefused } from '@loopwatch/detectors/internal';
import type { Guard } from './guard.ts';
import { loopIn } from './hook-answer.ts';
import type { HookTurns } from './hook-turns.ts';

const CONTINUE: GenericHookAnswer = {
  denied: false,
  stop: false,
  reason: null,
  guidance: null,
  incidentId: null,
};

/** Answers the hook of an agent without a format of its own: decides a call before it runs, or records its result. */
export async function answerGenericHook(
  guard: Guard,
  turns: HookTurns<GenericHookAnswer>,
  hook: GenericHook,
): Promise<GenericHookAnswer> {
  const { session, event, tool: name, arguments: args, result, isError, callId, parentSession } = hook;
  const stamp = { agent: hook.agent, time: hook.time, parentSessionId: parentSession, callId };
  const idOf = (part: string) => (callId === undefined ? undefined : `${part}:${callId}`);
  const call = { ...stamp, id: idOf('call'), type: 'tool_call_request', name, args } as const;
  if (event === 'after') {
    const end = turns.end(session);
    // Without an id, the call cannot be deduplicated, and was reported before it ran.
    const before = callId === undefined ? [] : [call];
    const after = { ...stamp, id: idOf('result'), type: 'tool_result', result, isError } as const;
    const found = loopIn(await guard.record(session, [...before, after, ...end]));
    return found === undefined ? CONTINUE : { ...CONTINUE, ...found };
  }
  return turns.answer(session, call, async (begun) => {
    await guard.record(session, begun);
    const decision = await guard.decide({ sessionId: session, name, args, parentSession });
    const { reason, incidentId } = decision;
    if (isRefused(decision)) {
      const guidance = await guard.recordDenied(session, call, decision);
      turns.deny(session, call);
      return { denied: true, stop: decision.action === 'stop', reason, guidance, incidentId };
    }
    await guard.record(session, [call]);
    return { ...CONTINUE, reason, incidentId };
  });
}
