import { commandFacts } from './command-line.ts';
import type { PastCall } from './step.ts';

/** Tools that look for something. */
export const SEARCHES = /grep|search|find|glob|query/i;
/** Command lines that look into many files at once, and print what they find first. */
const LOOKS_EVERYWHERE = /\b(?:(?:rg|ag|fd|find|git grep)\b|grep .*-\w*r)/i;

/** Whether a call lists what it finds in an order that says nothing: searches in parallel end in any. */
export function listsInAnyOrder({ identity, nature }: PastCall): boolean {
  return nature.runs
    ? !nature.changes && LOOKS_EVERYWHERE.test(commandFacts(identity).line ?? '')
    : nature.reads && SEARCHES.test(identity.name);
}
