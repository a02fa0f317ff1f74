import type { Message, MessageKind } from './turn-history.ts';

type Linked = Pick<Message, 'kind' | 'callId'>;

/**
 * Removes messages that would confuse a judge: trailing calls without a result yet, and leading results whose call
 * precedes the excerpt. Incomplete calls elsewhere are part of the story.
 */
export function cleanHistory<M extends Linked>(messages: readonly M[]): M[] {
  const complete = completeOnes(messages);
  const isText = ({ kind }: M): boolean => kind === 'answer' || kind === 'reasoning';
  const firstText = messages.findIndex(isText);
  const lastText = messages.findLastIndex(isText);
  const dangling = (message: M, i: number): boolean => {
    if (complete.has(message)) return false;
    const atStart = firstText === -1 || i < firstText;
    return message.kind === 'call' ? i > lastText : message.kind === 'result' && atStart;
  };
  return messages.filter((message, i) => !dangling(message, i));
}

/** Calls with a result, and those results. A result without a call id answers the oldest open call. */
function completeOnes<M extends Linked>(messages: readonly M[]): Set<M> {
  const open: M[] = [];
  const complete = new Set<M>();
  for (const message of messages) {
    if (message.kind === ('call' satisfies MessageKind)) open.push(message);
    if (message.kind !== 'result') continue;
    const { callId } = message;
    const at = callId === null ? 0 : open.findIndex((call) => call.callId === callId);
    const call = open[at];
    if (call === undefined) continue;
    open.splice(at, 1);
    complete.add(call).add(message);
  }
  return complete;
}
