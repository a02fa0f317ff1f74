import { oneLine } from '../lib/one-line.ts';
import { ownCopy } from '../lib/own-copy.ts';
import type { AddPrompt } from '../plan/detection.ts';
import { maskSecrets } from '../privacy/mask.ts';
import { type Privacy } from '../privacy/presentable.ts';

/** Units of a prompt that are read: a prompt may be a whole file. */
const READ_UNITS = 4_000;
/** Units of one prompt, and of all prompts of a session, that are kept to be searched. */
const MAX_PROMPT_UNITS = 300;
const MAX_TEXT_UNITS = 1_000;
/** A title is cut at the last word that fits, unless that leaves little of it. */
const MAX_TITLE_UNITS = 80;
const MIN_TITLE_UNITS = 50;

/** Tags that agents put around what a person wrote; the content of all other tags is the agent's own. */
const AROUND_PROMPT =
  /<\/?(?:task|user_query|user_message|user_request|query|prompt|request|command-name|command-args)>/gi;
/** What agents insert into a prompt: before it, where it may be longer than what is read, whole, and cut. */
const LEADING = /^(?:\s*<([a-z][\w-]*)(?:\s[^<>]{0,200})?>[^]*?<\/\1>)+/i;
const INSERTED = /<([a-z][\w-]*)(?:\s[^<>]{0,200})?>[^]*?<\/\1>/gi;
const UNFINISHED =
  /<(?:system-reminder|environment_context|environment_details|user_instructions|context|file|attachment)\b[^]*$/i;
/** Placeholders and contents of attachments. */
const ATTACHMENT =
  /\[(?:image|file|attachment|pasted text|document|audio)\b[^\]\n]{0,200}\]|data:[\w/+.;=-]{0,100},[\w+/=%-]{40,}/gi;

/** Marks of direction, which mixed text has in many places, and which only show on the line that they are for. */
const MARKS = /[\u200e\u200f\u061c\ufeff]/g;

/** The beginnings of the prompts, one a line, with another one; what a person did not write adds nothing. */
export function withPrompt(prompts: string, text: string, { mask, storeText }: Privacy): string {
  if (!storeText || prompts.length >= MAX_TEXT_UNITS) return prompts;
  const written = text
    .replace(AROUND_PROMPT, ' ')
    .replace(LEADING, '')
    .slice(0, READ_UNITS)
    .replace(INSERTED, ' ')
    .replace(UNFINISHED, ' ')
    .replace(ATTACHMENT, ' ');
  const masked = maskSecrets(written, mask, () => undefined);
  const line = oneLine(masked.replace(MARKS, '')).replace(/\s+/g, ' ').trim();
  if (!/[\p{L}\p{N}\p{S}]/u.test(line)) return prompts;
  const known = prompts === '' ? '' : `${prompts}\n`;
  const room = Math.min(MAX_PROMPT_UNITS, MAX_TEXT_UNITS - known.length);
  const added = `${known}${beginning(line, room)}`;
  return ownCopy(added, 0, added.length);
}

/** The same with the prompt of an event, unless it is none of a person's, which a pause before it does not prove. */
export const addPrompt: AddPrompt = (prompts, { text, origin }, author, { knowledge, privacy }) => {
  if (text == null || origin === 'harness') return prompts;
  const isByHarness = () =>
    author === 'harness' || (author !== undefined && knowledge.agents.isHarnessPrompt(text.trimStart()));
  return origin !== 'user' && isByHarness() ? prompts : withPrompt(prompts, text, privacy);
};

/** The first prompt, short enough for a heading; undefined without one. */
export function sessionTitle(prompts: string): string | undefined {
  const [first = ''] = prompts.split('\n', 1);
  if (first === '') return undefined;
  if (first.length <= MAX_TITLE_UNITS) return first;
  const head = first.slice(0, MAX_TITLE_UNITS);
  const space = head.lastIndexOf(' ');
  const cut = space >= MIN_TITLE_UNITS ? head.slice(0, space) : beginning(first, MAX_TITLE_UNITS - 1);
  return `${cut.replace(/[\s,;:.–-]$/, '')}…`;
}

/** The beginning of a text, without half of a character. */
function beginning(text: string, units: number): string {
  return text.length <= units ? text : text.slice(0, units).replace(/\u200d?[\ud800-\udbff\u200d]$/, '');
}
