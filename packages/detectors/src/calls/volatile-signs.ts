import { isWideSpace } from '../lib/white-space.ts';

/**
 * Signs of volatile text: a pattern can match only a text that has its sign. Most results have few of them, so one pass
 * that looks for all signs saves most passes that replace.
 *
 * A sign is part of the match itself and not of its surroundings, which change when other matches are replaced.
 */
export const Sign = {
  date: 1,
  clock: 2,
  uuid: 4,
  address: 8,
  duration: 16,
  process: 32,
  id: 64,
  timeField: 128,
  epoch: 256,
  temporary: 512,
  attempt: 1024,
  attempts: 2048,
  token: 4096,
} as const;

/** What a unit may be part of. */
const Unit = {
  white: 1,
  digit: 2,
  word: 4,
  separator: 8,
  quote: 16,
  endsProcess: 32,
  endsAttempt: 64,
  startsDuration: 128,
  startsAttempts: 256,
  hex: 512,
} as const;
const UNITS = new Uint16Array(128);
/** The kinds of units at which the pass stops. */
const Stop = { digit: 1, d: 2, q: 3, x: 4, dash: 5, slash: 6, query: 7 } as const;
const STOPS = new Uint8Array(128);
mark(UNITS, {
  '\t\n\v\f\r ': Unit.white,
  '0123456789': Unit.digit,
  abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_: Unit.word,
  ':=#': Unit.separator,
  '"\'': Unit.quote,
  dDsS: Unit.endsProcess,
  tTyY: Unit.endsAttempt,
  nums: Unit.startsDuration,
  aAtTrRgG: Unit.startsAttempts,
  '0123456789abcdefABCDEF': Unit.hex,
});
mark(STOPS, {
  '0123456789': Stop.digit,
  dD: Stop.d,
  qQ: Stop.q,
  xX: Stop.x,
  '-': Stop.dash,
  '/': Stop.slash,
  '?&': Stop.query,
});
function mark(table: Uint8Array | Uint16Array, parts: Readonly<Record<string, number>>): void {
  for (const [units, part] of Object.entries(parts))
    for (const unit of units) table[unit.charCodeAt(0)] = (table[unit.charCodeAt(0)] ?? 0) | part;
}

const PROCESS = /(?:pid|process(?: id)?|thread)$/i;
const ATTEMPT = /(?:attempt|try)$/i;
const TIME_FIELD =
  /"(?:timestamp|time|ts|date|created(?:_at)?|updated(?:_at)?|elapsed|duration|took|latency)(?:_?ms)?$/i;
const ID = /(?:request|trace|span|correlation|session|run|job|message)[ _-]?id$/i;
const TEMPORARY = /(?:tmp|T)\/tmp$/;
/** Units of the longest of these. */
const NAME_UNITS = 16;
const DURATION = /\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\b/y;
const ATTEMPTS = / (?:attempts?|tries|retries|guesses)\b/iy;
const CLOCK = /:\d{2}:\d{2}/y;
const DATE = /-\d{2}-\d{2}[T ]\d{2}:\d{2}/y;
const UUID = /-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/iy;
const TOKEN = /[?&][\w.-]{1,40}=[\w%~+/=-]{20}/y;
const EPOCH_DIGITS = 10;
const [ZERO, COLON, DASH, MICRO, E, I, R, T] = [0x30, 0x3a, 0x2d, 0xb5, 0x65, 0x69, 0x72, 0x74];

/** The signs in a text, as a set of bits. */
export function signsOf(text: string): number {
  const { length } = text;
  let signs = 0;
  for (let at = 0; at < length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 127) continue;
    switch (STOPS[unit]) {
      case Stop.digit: {
        const start = at;
        while ((partsAt(text, at + 1) & Unit.digit) !== 0) at += 1;
        signs |= signsBefore(text, start) | signsAfter(text, start, at + 1);
        break;
      }
      case Stop.d:
        if (isLetter(text, at - 1, I) && endsWith(text, at, ID)) signs |= Sign.id;
        break;
      case Stop.q:
        if (isLetter(text, at - 1, E) && isLetter(text, at - 2, R)) signs |= Sign.id;
        break;
      case Stop.x:
        if (text.charCodeAt(at - 1) === ZERO && (partsAt(text, at + 1) & Unit.hex) !== 0)
          signs |= Sign.address;
        break;
      case Stop.dash:
        if ((partsAt(text, at + 1) & Unit.hex) !== 0 && startsAt(text, at, UUID)) signs |= Sign.uuid;
        break;
      case Stop.slash:
        if (isLetter(text, at + 1, T) && endsWith(text, at + 3, TEMPORARY)) signs |= Sign.temporary;
        break;
      case Stop.query:
        if (startsAt(text, at, TOKEN)) signs |= Sign.token;
        break;
      default:
    }
  }
  return signs;
}

function partsAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  // Outside the text it is NaN.
  return unit < 128 ? (UNITS[unit] as number) : partsBeyondAscii(unit);
}

function partsBeyondAscii(unit: number): number {
  if (unit === MICRO) return Unit.startsDuration;
  return isWideSpace(unit) ? Unit.white : 0;
}

/** Whether a letter is there, in upper or lower case. */
function isLetter(text: string, at: number, lower: number): boolean {
  return (text.charCodeAt(at) | 32) === lower;
}

/** Signs that end with the number that starts here. */
function signsBefore(text: string, start: number): number {
  const before = partsAt(text, start - 1);
  if ((before & Unit.word) !== 0)
    return (before & Unit.endsProcess) !== 0 && endsWith(text, start - 1, PROCESS) ? Sign.process : 0;
  let signs = 0;
  let at = start - 2;
  while (at >= start - 3 && at >= 0 && (partsAt(text, at) & Unit.word) === 0) at -= 1;
  if ((partsAt(text, at) & Unit.endsAttempt) !== 0 && endsWith(text, at, ATTEMPT)) signs |= Sign.attempt;
  if ((before & (Unit.white | Unit.separator | Unit.quote)) === 0) return signs;
  at = beforeWhite(text, start - 1);
  const isField = text.charCodeAt(at) === COLON;
  if ((partsAt(text, at) & Unit.separator) !== 0) at = beforeWhite(text, at - 1);
  if ((partsAt(text, at) & Unit.quote) !== 0) {
    at -= 1;
    if (isField && endsWith(text, at, TIME_FIELD)) signs |= Sign.timeField;
  }
  if ((partsAt(text, at) & Unit.endsProcess) !== 0 && endsWith(text, at, PROCESS)) signs |= Sign.process;
  return signs;
}

function beforeWhite(text: string, last: number): number {
  let at = last;
  while ((partsAt(text, at) & Unit.white) !== 0) at -= 1;
  return at;
}

function endsWith(text: string, last: number, name: RegExp): boolean {
  return name.test(text.slice(Math.max(0, last + 1 - NAME_UNITS), last + 1));
}

/** Signs that start with, or contain, the number between these positions. */
function signsAfter(text: string, start: number, end: number): number {
  let signs = end - start >= EPOCH_DIGITS ? Sign.epoch : 0;
  const next = text.charCodeAt(end);
  if (next === COLON) return startsAt(text, end, CLOCK) ? signs | Sign.clock : signs;
  if (next === DASH) return startsAt(text, end, DATE) ? signs | Sign.date : signs;
  let parts = partsAt(text, end);
  if ((parts & Unit.white) !== 0) {
    parts |= partsAt(text, end + 1);
    if ((parts & Unit.startsAttempts) !== 0 && startsAt(text, end, ATTEMPTS)) signs |= Sign.attempts;
  }
  if ((parts & Unit.startsDuration) !== 0 && startsAt(text, end, DURATION)) signs |= Sign.duration;
  return signs;
}

function startsAt(text: string, at: number, pattern: RegExp): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
