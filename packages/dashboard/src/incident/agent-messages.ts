import { eventTime } from '@loopwatch/contract';
import type { SessionEvent } from '@loopwatch/contract/api';

/** Consecutive text of an agent, with no other event in between. */
export interface AgentMessage {
  readonly eventIndex: number;
  /** Event time, epoch ms. */
  readonly time: number;
  /** Calls between the start of the span and this message. */
  readonly callsBefore: number;
  readonly text: string;
  readonly thought: boolean;
}

const MAX_CHARACTERS = 280;

/** Messages between two events, oldest first. */
export function messagesBetween(
  items: readonly SessionEvent[],
  { from, to }: { readonly from: number; readonly to: number },
): AgentMessage[] {
  const messages: AgentMessage[] = [];
  let continues = false;
  let calls = 0;
  for (const { event, eventIndex, timestamp } of items) {
    if (event === null || eventIndex === null || eventIndex < from || eventIndex > to) continue;
    const thought = event.type === 'thought';
    const text = typeof event['text'] === 'string' ? event['text'] : '';
    if (event.type !== 'content' && !thought) {
      continues = false;
      if (event.type === 'tool_call_request') calls += 1;
      continue;
    }
    const last = messages.at(-1);
    if (continues && last?.thought === thought)
      messages[messages.length - 1] = { ...last, text: last.text + text };
    else {
      const time = eventTime(event, timestamp);
      messages.push({ eventIndex, time, callsBefore: calls, text, thought });
    }
    continues = true;
  }
  return messages.flatMap(({ text, ...rest }) => {
    const trimmed = text.trim();
    if (trimmed === '') return [];
    return {
      ...rest,
      text: trimmed.length > MAX_CHARACTERS ? `${trimmed.slice(0, MAX_CHARACTERS)}…` : trimmed,
    };
  });
}

/** A message's position in the loop, by the calls around it; undefined unless all calls before it are loaded. */
export function positionOf(
  { callsBefore }: Pick<AgentMessage, 'callsBefore'>,
  items: readonly SessionEvent[],
  { from, to }: { readonly from: number; readonly to: number },
): string | undefined {
  const indexed = items.filter(({ eventIndex }) => eventIndex !== null);
  if ((indexed[0]?.eventIndex ?? Infinity) > from) return undefined;
  const total = indexed.filter(
    ({ event, eventIndex }) =>
      event?.type === 'tool_call_request' && eventIndex !== null && eventIndex >= from && eventIndex <= to,
  ).length;
  if (total === 0) return undefined;
  if (callsBefore === 0) return 'before call 1';
  return callsBefore >= total
    ? `after call ${String(callsBefore)}`
    : `between calls ${String(callsBefore)} and ${String(callsBefore + 1)}`;
}
