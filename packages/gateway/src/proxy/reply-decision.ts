import type { Reply, ToolCall } from '../api/conversation.ts';
import type { Enforcement } from '../session/enforcement.ts';
import type { GatewaySession } from '../session/gateway-session.ts';

/** What has to be done about a reply that must not pass. */
export interface ReplyDecision {
  readonly enforcement: Enforcement;
  /** The call in question; undefined if it is about the text. */
  readonly call?: { readonly index: number; readonly call: ToolCall };
}

/** A decision about one call. */
export type CallDecision = ReplyDecision & Required<Pick<ReplyDecision, 'call'>>;

/** Reports a complete reply to the session. @returns undefined if the reply may pass */
export function decideReply(session: GatewaySession, reply: Reply, now: number): ReplyDecision | undefined {
  const thought = session.onText('thought', reply.thought, now);
  const content = session.onText('content', reply.text, now);
  const enforcement = content ?? thought;
  const decision = enforcement === undefined ? decideCalls(session, reply.calls, now) : { enforcement };
  session.onReplyEnd(reply, now);
  noteBlocked(session, decision, now);
  return decision;
}

/** Reports a blocked call, once its reply has ended. */
export function noteBlocked(session: GatewaySession, decision: ReplyDecision | undefined, now: number): void {
  const { enforcement, call } = decision ?? {};
  if (enforcement?.action === 'block' && call !== undefined)
    session.onCallBlocked(call.call, enforcement, now);
}

/** Stops at the first call that must not pass: those after it are not made either. */
function decideCalls(
  session: GatewaySession,
  calls: readonly ToolCall[],
  now: number,
): CallDecision | undefined {
  for (const [index, call] of calls.entries()) {
    const enforcement = session.onToolCall(call, now);
    if (enforcement !== undefined) return { enforcement, call: { index, call } };
  }
  return undefined;
}
