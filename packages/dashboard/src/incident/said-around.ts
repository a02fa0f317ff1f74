import type { SessionEvent } from '@loopwatch/contract/api';

/** What an agent said in one go: text that no other event comes between. */
export interface Saying {
  readonly eventIndex: number;
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
  for (const { event, eventIndex } of items) {
    if (event === null || eventIndex === null || eventIndex < from || eventIndex > to) continue;
    const thought = event.type === 'thought';
    const text = typeof event['text'] === 'string' ? event['text'] : '';
    if (event.type !== 'content' && !thought) {
      open = false;
      continue;
    }
    const last = said.at(-1);
    if (open && last?.thought === thought) said[said.length - 1] = { ...last, text: last.text + text };
    else said.push({ eventIndex, text, thought });
    open = true;
  }
  return said.flatMap(({ text, ...rest }) => {
    const told = text.trim();
    if (told === '') return [];
    return { ...rest, text: told.length > MAX_CHARACTERS ? `${told.slice(0, MAX_CHARACTERS)}…` : told };
  });
}
