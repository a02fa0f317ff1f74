import type { SessionEvent } from '@loopwatch/contract/api';

/** What an agent said in one go: text that no other event comes between. */
export interface Saying {
  readonly eventIndex: number;
  /** Event time, epoch ms. */
  readonly time: number;
  /** Calls between the beginning of the span and this. */
  readonly callsBefore: number;
  readonly text: string;
  readonly thought: boolean;
}

const MAX_CHARACTERS = 280;

/** What was said between the two events, oldest first. */
export function saidMeanwhile(
  items: readonly SessionEvent[],
  { from, to }: { readonly from: number; readonly to: number },
): Saying[] {
  const said: Saying[] = [];
  let open = false;
  let calls = 0;
  for (const { event, eventIndex, timestamp } of items) {
    if (event === null || eventIndex === null || eventIndex < from || eventIndex > to) continue;
    const thought = event.type === 'thought';
    const text = typeof event['text'] === 'string' ? event['text'] : '';
    if (event.type !== 'content' && !thought) {
      open = false;
      if (event.type === 'tool_call_request') calls += 1;
      continue;
    }
    const last = said.at(-1);
    if (open && last?.thought === thought) said[said.length - 1] = { ...last, text: last.text + text };
    else {
      const time = typeof event['time'] === 'number' ? event['time'] : timestamp;
      said.push({ eventIndex, time, callsBefore: calls, text, thought });
    }
    open = true;
  }
  return said.flatMap(({ text, ...rest }) => {
    const told = text.trim();
    if (told === '') return [];
    return { ...rest, text: told.length > MAX_CHARACTERS ? `${told.slice(0, MAX_CHARACTERS)}…` : told };
  });
}

/**
 * Where in the loop something was said, by the calls around it; undefined where the calls before it were not all read.
 */
export function positionOf(
  { callsBefore }: Pick<Saying, 'callsBefore'>,
  items: readonly SessionEvent[],
  { from, to }: { readonly from: number; readonly to: number },
): string | undefined {
  const read = items.filter(({ eventIndex }) => eventIndex !== null);
  if ((read[0]?.eventIndex ?? Infinity) > from) return undefined;
  const total = read.filter(
    ({ event, eventIndex }) =>
      event?.type === 'tool_call_request' && eventIndex !== null && eventIndex >= from && eventIndex <= to,
  ).length;
  if (total === 0) return undefined;
  if (callsBefore === 0) return 'before call 1';
  return callsBefore >= total
    ? `after call ${String(callsBefore)}`
    : `between call ${String(callsBefore)} and ${String(callsBefore + 1)}`;
}
