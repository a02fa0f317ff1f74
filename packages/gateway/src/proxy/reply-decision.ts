import type { Reply, ToolCall } from '../api/conversation.ts';
import type { Enforcement } from '../session/enforcement.ts';
import type { GatewaySession, RefusedCall } from '../session/gateway-session.ts';

/** What has to be done about a reply that must not pass. */
export interface ReplyDecision {
  readonly enforcement: Enforcement;
  /** The call in question; undefined if it is about the text. */
  readonly call?: RefusedCall & { readonly index: number };
}

/** A decision about one call. */
export type CallDecision = ReplyDecision & Required<Pick<ReplyDecision, 'call'>>;

/** Reports a complete reply to the session. @returns undefined if the reply may pass */
export function decideReply(session: GatewaySession, reply: Reply, now: number): ReplyDecision | undefined {
  const enforcement = decideTexts(session, reply, now);
  const decision = enforcement === undefined ? decideCalls(session, reply.calls, now) : { enforcement };
  session.onReplyEnd(reply, now);
  noteBlocked(session, decision, now);
  return decision;
}

/** Reports a blocked call, once its reply has ended. */
export function noteBlocked(session: GatewaySession, decision: ReplyDecision | undefined, now: number): void {
  const { enforcement, call } = decision ?? {};
  if (enforcement?.action === 'block' && call !== undefined) session.onCallBlocked(call, enforcement, now);
}

/** Reports a complete reply with several choices to the session. @returns as {@link decideChoices} */
export function decideReplyChoices(
  session: GatewaySession,
  reply: Reply,
  now: number,
): ReadonlyMap<number, ReplyDecision> {
  const ofText = decideTexts(session, reply, now);
  const refused = decideChoices(session, reply.choices ?? new Map(), now);
  if (ofText !== undefined) refused.set(0, { enforcement: ofText });
  session.onReplyEnd(reply, now);
  for (const decision of refused.values()) noteBlocked(session, decision, now);
  return refused;
}

function decideTexts(session: GatewaySession, reply: Reply, now: number): Enforcement | undefined {
  const thought = session.onText('thought', reply.thought, now);
  return session.onText('content', reply.text, now) ?? thought;
}

/** Stops at the first call that must not pass: those after it are not made either. */
function decideCalls(
  session: GatewaySession,
  calls: readonly ToolCall[],
  now: number,
): CallDecision | undefined {
  for (const [index, call] of calls.entries()) {
    const enforcement = session.onToolCall(call, now);
    if (enforcement !== undefined)
      return { enforcement, call: { index, call, unsent: calls.slice(0, index) } };
  }
  return undefined;
}

type Enforcements = ReadonlyMap<string, Enforcement | undefined>;

/**
 * Judges the calls of alternative choices: the client uses one of them, so a call that several make counts once, and the
 * calls of one do not end the loop that another continues. A chance cannot be given for one of several, so only blocked
 * calls are refused.
 *
 * @returns what to do about each choice that must not pass, by its index
 */
export function decideChoices(
  session: GatewaySession,
  choices: ReadonlyMap<number, readonly ToolCall[]>,
  now: number,
): Map<number, ReplyDecision> {
  session.onChoices();
  const refused = new Map<number, ReplyDecision>();
  const looping = new Map<number, readonly ToolCall[]>();
  const earlier = new Map<string, Enforcement | undefined>();
  for (const [choice, calls] of choices)
    if (calls.some((call) => session.wouldRefuse(call, now))) looping.set(choice, calls);
  for (const [choice, calls] of choices) {
    if (looping.has(choice)) continue;
    const { decision, own } = decideChoice(session, calls, now, earlier);
    if (decision !== undefined) refused.set(choice, decision);
    for (const [key, enforcement] of own) earlier.set(key, enforcement);
  }
  // These come last, so that the session goes on from a loop that it has stopped.
  const alike = new Map<string, Enforcement | undefined>();
  for (const [choice, calls] of looping) {
    const key = calls.map(keyOf).join();
    const known = alike.get(key);
    if (known !== undefined) refused.set(choice, { enforcement: known });
    if (alike.has(key)) continue;
    if (earlier.size > 0 || alike.size > 0) session.onOtherChoice(now);
    // What is undone cannot be reported as blocked.
    for (const [undone, { enforcement }] of refused) refused.set(undone, { enforcement });
    const { decision } = decideChoice(session, calls, now);
    if (decision !== undefined) refused.set(choice, decision);
    alike.set(key, decision?.enforcement);
  }
  return refused;
}

/** Judges the calls of a choice up to the first that must be blocked. @param known what was decided about calls of others */
function decideChoice(
  session: GatewaySession,
  calls: readonly ToolCall[],
  now: number,
  known: Enforcements = new Map(),
): { readonly decision: ReplyDecision | undefined; readonly own: Enforcements } {
  const own = new Map<string, Enforcement | undefined>();
  for (const [index, call] of calls.entries()) {
    const key = keyOf(call);
    const isKnown = known.has(key);
    const enforcement = isKnown ? known.get(key) : session.onToolCall(call, now);
    own.set(key, enforcement);
    if (enforcement?.action === 'block')
      return { decision: isKnown ? { enforcement } : { enforcement, call: { index, call } }, own };
  }
  return { decision: undefined, own };
}

function keyOf({ name, args }: ToolCall): string {
  return JSON.stringify([name, args]);
}
