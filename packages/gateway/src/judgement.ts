import type { Reply, ToolCall } from './api/conversation.ts';
import type { Demand } from './session/demand.ts';
import type { GatewaySession } from './session/gateway-session.ts';

/** What an answer's calls and text lead to. */
export interface Judgement {
  readonly demand: Demand;
  /** The call that it is about; none where it is about the text. */
  readonly call?: { readonly index: number; readonly call: ToolCall };
}

/** What one call leads to. */
export type CallJudgement = Judgement & Required<Pick<Judgement, 'call'>>;

/** Tells the session of an answer that was taken as a whole. @returns undefined where it may pass */
export function judgeReply(session: GatewaySession, reply: Reply, now: number): Judgement | undefined {
  const thought = session.said('thought', reply.thought, now);
  const content = session.said('content', reply.text, now);
  const found = content ?? thought;
  const judgement = found === undefined ? judgeCalls(session, reply.calls, now) : { demand: found };
  session.answered(reply, now);
  return judgement;
}

/** The calls of one answer, up to the first that must not be made: those behind it are not made either. */
function judgeCalls(session: GatewaySession, calls: readonly ToolCall[], now: number): Judgement | undefined {
  for (const [index, call] of calls.entries()) {
    const demand = session.called(call, now);
    if (demand !== undefined) return { demand, call: { index, call } };
  }
  return undefined;
}
