import { separateWords } from '../lib/separate-words.ts';
import type { NormalizedResult } from '../results/normalize-result.ts';
import type { PastCall } from './step.ts';
import { AMENDS, SETS_STATE } from './verbs.ts';

/** Names of tools, and commands, that return another value each time. */
const DRAWING_TOOL =
  /(?<![a-z])(?:next|draw|pop|shift|take(?!_?(?:screen|snap|photo|picture))|claim|lease|dequeue|receive|pull|generate|gen|random|rand|roll|create|new|issue|mint|make|allocate|acquire|reserve|sample|pick|shuffle|token|password|secret|uuid|nonce|otp|advance|more|latest|newest|current|commit|sha|hash|checksum|cursor)(?![a-z])/i;
/** Tools that bring one thing into the same state again, and return nothing new of it. */
export const REAPPLIES = new RegExp(`(?<![a-z])(?:${SETS_STATE}|${AMENDS})(?![a-z])`, 'i');
/** Arguments of a request that may create something, or that ask for whatever is newest. */
const ASKS_NEW = /"method":"(?:POST|PUT|PATCH)"|"(?:latest|newest|next|head|tip|random)"/i;
const DRAWING_COMMAND =
  /(?<![a-z])(?:next-?\w*(?! build)|(?<!stash )pop|claim|lease|draw|[lr]pop|dequeue|receive-message|rand|random|urandom|secrets|pwgen|passwd|token|uuid|uuidgen|mktemp|shuf|faker|rev-parse|ls-remote|git log|POST)(?![a-z])/i;

/** Tools that deliver something, with a receipt that has a number of its own. */
export const DELIVERS =
  /(?<![a-z])(?:send|notify|publish|enqueue|charge|refund|pay|invite|book|(?:place|submit)_(?:\w+_)?order|post_?(?:message|comment|reply)|(?:create|add|insert|schedule|save|store)_(?:\w+_)?(?:event|meeting|invoice|issue|reminder|comment|note|memory|memories))(?![a-z])/i;
/** What is sent to a terminal acts again each time. */
const KEYS = /"(?:keys?|keystrokes|input|chars)":/;
/** Tools that put a setting in place, and what numbers their receipts. */
const SETS = /(?:^|__)(?:set|enable|disable)_/i;
const NUMBER_OF_RECEIPT = /\b(?:seq\w*|txn|\w{0,20}id|re[fv]\w*)"?[:=#]\s?"?[\w-]{1,64}/gi;
const RECEIPT_WORD = /[^\s"',:/=?&]+/g;

function withoutNumber(word: string): string {
  return /\d/.test(word) ? '#' : word;
}

/** Whether a call has delivered, or set, the same thing twice, whatever number each receipt has. */
export function isDeliveredAgain({ identity }: PastCall, ...receipts: readonly NormalizedResult[]): boolean {
  const words = separateWords(identity.name);
  const delivers = DELIVERS.test(words) && !KEYS.test(identity.arguments);
  if (!delivers && !SETS.test(words)) return false;
  const texts = receipts.map(
    ({ kind, shown }) =>
      kind === 'ok' &&
      (delivers ? shown.replace(RECEIPT_WORD, withoutNumber) : shown.replace(NUMBER_OF_RECEIPT, '#')),
  );
  return texts[0] !== false && texts[0] === texts[1];
}

/** Whether a call may be meant to return another value each time. */
export function drawsValue({ identity, nature }: PastCall): boolean {
  const { name, arguments: canonical } = identity;
  if (nature.runs) return DRAWING_COMMAND.test(canonical);
  const words = separateWords(name);
  if (ASKS_NEW.test(canonical) || DRAWING_TOOL.test(words)) return true;
  return nature.edits && !nature.navigates && !REAPPLIES.test(words);
}
