import { ownCopy } from '../lib/own-copy.ts';

/** What the word before a value says about it, by its form: `durationMs`, `wall_time_seconds`, `requestId`. */

/** The words of the labels seen last: there are few, and they recur. */
const seen = new Map<string, string>();
const MAX_SEEN = 1024;
/** A longer label is a path, or text. */
const MAX_LABEL = 48;

/** `wallTime`, `wall-time` and `wall_time` are the same words. */
function words(label: string): string {
  if (label.length > MAX_LABEL) return split(label.slice(-MAX_LABEL));
  let plain = seen.get(label);
  if (plain !== undefined) return plain;
  plain = split(label);
  if (seen.size === MAX_SEEN) seen.clear();
  // A part of a text would keep the whole text alive.
  seen.set(ownCopy(label, 0, label.length), plain);
  return plain;
}

function split(label: string): string {
  return label
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll('-', '_');
}

const TIME =
  /(?:^|_)tokens?(?:_count)?$|(?:^|_)(?:timestamp|time|ts|date|at|on|elapsed|duration|took|latency|uptime|epoch|now|ms|msec|millis|milliseconds|us|ns|nanos|seconds|secs|sec|minutes|mins)$|(?:^|_)(?:duration|elapsed|latency|uptime|took|timestamp)(?:_|$)/;
/** Times that were set by hand: a change is news. */
const SET_TIME = /timeout|limit|max|min(?!ute|s$)|interval|delay|budget|ttl|expires|deadline/;

/** Whether a number is a time, or the use of tokens, which differs as much. */
export function isTimeLabel(label: string): boolean {
  const plain = words(label);
  return TIME.test(plain) && !SET_TIME.test(plain);
}

const VOLATILE_ID =
  /(?:^|_)(?:request|trace|span|correlation|session|agent|chunk|tool_?use|tool_?call|call|invocation|ray|amzn_request|background_task)(?:_?id)$|^req$/;
const VOLATILE_BEFORE = /(?:^|_)(?:request|trace|span|correlation|session|ray)$/;
const ID = /(?:^|_)(?:u?uid|guid|ulid|id|ids|hash|digest|checksum|fingerprint)$/;
/** Labels of tokens that are never what was asked for. */
const FRAME = /(?:^|_)(?:nonce|etag|e_tag|csrf|ref|boundary)$/;

/** @param before the word before the label: `request` of `request id` */
export function isVolatileIdLabel(label: string, before: string): boolean {
  const plain = words(label);
  return VOLATILE_ID.test(plain) || (plain === 'id' && VOLATILE_BEFORE.test(words(before)));
}

export function isIdLabel(label: string): boolean {
  return ID.test(words(label));
}

export function isFrameLabel(label: string): boolean {
  return FRAME.test(words(label));
}

/** Labels of a process or thread number. */
export const PROCESS_LABELS: ReadonlySet<string> = new Set(['pid', 'ppid', 'process', 'thread']);

/** Whether a number counts tries. */
export function isTryLabel(label: string): boolean {
  return /^(?:attempt|try|retry)$/i.test(label);
}

const NEWS =
  /cursor|continuation|passw|passphrase|secret|(?<![a-z])(?:next|ticket|voucher|coupon|code|otp|pin|draw|drawn|prize|winner|price|balance|quote|order|invoice|receipt|tracking|booking|reservation|confirmation|created|new|generated|issued|assigned|job|task|commit|sha|head|version|page_?token|key|serial|your|license|licence)(?![a-z])/;

/** Whether the text before a token says that the token is what was asked for. */
export function announcesNews(before: string): boolean {
  return NEWS.test(split(before));
}
