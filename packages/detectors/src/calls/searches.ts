import { separateWords, wordIn } from '../lib/separate-words.ts';
import { commandFacts } from './command-line.ts';
import type { PastCall } from './step.ts';

/** Command lines that look into many files at once, and print what they find first. */
const SEARCHES =
  /(?:^|[;&|(\n])[ \t]*(?:rg|ag|ack|fd|fdfind|find|git grep|[ef]?grep (?:-\S+ )*(?:-[a-qs-zA-QS-Z]*[rR][a-zA-Z]*|--recursive)|ls (?:-\S+ )*-\w*U)\b/;
const SEARCH_TOOL = wordIn(
  'rip_?grep|grep|glob|find_?files?|file_?search|search_?files|list_?(?:files|dir|directory)',
);

/** Whether a call lists what it finds in an order that says nothing: searches in parallel end in any. */
export function listsInAnyOrder({ identity, nature }: PastCall): boolean {
  if (!nature.runs) return nature.reads && SEARCH_TOOL.test(separateWords(identity.name));
  return !nature.changes && SEARCHES.test(commandFacts(identity).line ?? '');
}
