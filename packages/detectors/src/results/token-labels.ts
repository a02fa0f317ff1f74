import { ownCopy } from '../lib/own-copy.ts';
import { separateWords } from '../lib/separate-words.ts';

/** What the word before a value says about it, by its form: `durationMs`, `wall_time_seconds`, `requestId`. */

/** What a label says about a value, as bits. */
export const PROCESS = 1;
export const TIME = 2;
export const TRY = 4;
export const REQUEST = 8;
/** An id that differs with each call. */
export const VOLATILE_ID = 16;
export const ID = 32;
/** Labels of tokens that are never what was asked for. */
export const FRAME = 64;
/** An id of what the word before the label says. */
const ID_OF = 128;
const OF_PROCESS = 256;
const OF_VOLATILE = 512;
/** `by` of `served by`, and the word before it. */
const BY = 1024;
const OF_SERVER = 2048;
/** The name of a field in several words, which needs no sign before its value. */
export const COMPOUND = 4096;
/** How many steps an environment has counted. */
export const STEP = 8192;

/** By form, of a label in its own case. */
const FORMS: readonly (readonly [says: number, form: RegExp])[] = [
  [PROCESS, /^(?:p?pid|pgid|process|thread|exec|goroutine)$/i],
  [TRY, /^(?:attempt|try|retry|seq|versuch|essai|tentativ[ae]|intento)$/i],
  [REQUEST, /^req(?:uest)?$/i],
  [ID_OF, /^id$/i],
  [OF_PROCESS, /^process$/i],
  [BY, /^by$/i],
  [OF_SERVER, /^(?:served|handled|answered|rendered|delivered|processed)$/i],
  [STEP, /^(?:\w+_|time)?(?:step|turn|tick|move)s?(?:_[a-z]+)?$/i],
  [COMPOUND, /^[a-z]+(?:_[a-z]+)+$/],
];

/** By its words, in snake case. */
const WORDS: readonly (readonly [says: number, form: RegExp, except?: RegExp])[] = [
  [
    TIME,
    /(?:^|_)tokens?(?:_count)?$|(?:^|_)(?:time|ts|date|at|on|runtime|epoch|now|ms|msec|millis|milliseconds|us|ns|nanos|seconds|secs|sec|minutes|mins)$|(?:^|_)(?:duration|elapsed|latency|uptime|took|timestamp)(?:_|$)|(?:^|_)(?:retry_after|expires_in)$/,
    // Times that were set by hand: a change is news.
    /timeout|limit|max|min(?!ute|s$)|interval|delay|budget|ttl|expires(?!_in$)|deadline/,
  ],
  [
    VOLATILE_ID,
    /(?:^|_)(?:request|trace|span|correlation|session|agent|chunk|tool_?use|tool_?call|call|invocation|ray|background_task)(?:_?id)$|^(?:req(?:_?id)?|rid)$|requestid$|(?:^|_)(?:trace|span|traceparent|trace_?ref|cf_ray)$/,
  ],
  [OF_VOLATILE, /(?:^|_)(?:request|trace|span|correlation|session|ray)$/],
  [ID, /(?:^|_)(?:u?uid|guid|ulid|id|ids|hash|digest|checksum|fingerprint|reference)$/],
  [
    FRAME,
    /(?:^|_)(?:nonce|etag|e_tag|csrf|ref|handle|seq(?:uence)?(?:_no|_number)?|txn|session|connection|boundary|served_by|backend|upstream)$/,
  ],
];

/** A longer label is a path, or text. */
const MAX_LABEL = 48;
/** What the labels seen last say, by a hash of the label: there are few, and they recur. */
const SEEN = 1024;
const seen = new Array<string>(SEEN).fill('');
const saying = new Uint16Array(SEEN);

/**
 * What a label says, as bits: the text from `start` up to `end`. The word before the label, `request` of `request id`,
 * is the text from `beforeStart` up to `beforeEnd`.
 */
export function labelSays(
  text: string,
  start: number,
  end: number,
  beforeStart: number,
  beforeEnd: number,
): number {
  const says = formsOf(text, start, end);
  if ((says & (ID_OF | BY)) === 0 || beforeStart === beforeEnd) return says;
  const of = formsOf(text, beforeStart, beforeEnd);
  if ((says & BY) !== 0) return (of & OF_SERVER) === 0 ? says : says | FRAME;
  return says | ((of & OF_PROCESS) === 0 ? 0 : PROCESS) | ((of & OF_VOLATILE) === 0 ? 0 : VOLATILE_ID);
}

/** Compares the label with a known one in place, because cutting it out takes longer than all the rest. */
function formsOf(text: string, from: number, end: number): number {
  const start = Math.max(from, end - MAX_LABEL);
  let hash = end - start;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash, 31) + text.charCodeAt(at);
  const slot = (hash ^ (hash >>> 10)) & (SEEN - 1);
  const known = seen[slot] as string;
  if (known.length === end - start && text.startsWith(known, start)) return saying[slot] as number;
  // A part of a text would keep the whole text alive.
  const label = ownCopy(text, start, end);
  const says = readForms(label);
  seen[slot] = label;
  saying[slot] = says;
  return says;
}

function readForms(label: string): number {
  const plain = split(label);
  let says = 0;
  for (const [bit, form] of FORMS) if (form.test(label)) says |= bit;
  for (const [bit, form, except] of WORDS) if (form.test(plain) && except?.test(plain) !== true) says |= bit;
  return says;
}

/** `wallTime`, `wall-time` and `wall_time` are the same words. */
function split(label: string): string {
  return separateWords(label).toLowerCase().replaceAll('-', '_');
}

const NEWS =
  /cursor|continuation|passw|passphrase|secret|(?<![a-z])(?:next|ticket|voucher|coupon|code|otp|pin|draw|drawn|prize|winner|price|balance|quote|order|invoice|receipt|tracking|booking|reservation|confirmation|created|new|generated|issued|assigned|job|task|commit|sha|version|page_?token|key|serial|your|leaves|departs|arrives|eta|due|slot|licen[cs]e)(?![a-z])|(?<![a-z</])head(?![a-z])/;

/** Whether the text before a token says that the token is what was asked for. */
export function announcesNews(before: string): boolean {
  return NEWS.test(split(before));
}
