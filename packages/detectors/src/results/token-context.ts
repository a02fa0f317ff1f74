import { DIGIT, ESCAPE, kindAt, SPACE, unitAt } from './text-units.ts';
import { announcesNews } from './token-labels.ts';

const QUOTE = 0x22;
const HASH = 0x23;
const COLON = 0x3a;
const EQUALS = 0x3d;
const COMMA = 0x2c;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
/** First units of the units of time and of size, and of what may follow a number of tries. */
const UNIT_STARTS = unitTable('nµumsdhatrgcbl(KMGTS');
/** What may stand between a label and its value. */
const GAP = unitTable(' \t:=#"\'([<\\-_/+');

/** The last line, if it is a frame: `[command 12 finished]`. Its number, and the rest. */
const FRAME = /(?:^|\n)[^\S\n]*[[(<]([^\d\n]{0,80})(\d{1,9})(?![\d.%])([^\n]{0,80})[\])>]\s*$/d;
/** What a number in a frame is if it is no counter. */
const NO_COUNTER = /(?:code|status|page|line|step|score)\W*$/i;
const COUNTED =
  /^\s?(?:failed|passed|errors?|warnings?|done|processed|of(?! th)|left|remaining|items?|rows)\b|\d/i;
const EXIT_CODE = /\b(?:exit(?:ed)?(?: with)?|code|status)\W{0,3}(?:code\W{0,3})?\d+/gi;
const FRAME_UNITS = 200;

/** The position of a counter in the last line; -1 if there is none. */
export function counterIn(text: string): number {
  const tail = Math.max(0, text.length - FRAME_UNITS);
  const close = text.trimEnd().at(-1);
  if (close !== ']' && close !== '>' && close !== ')') return -1;
  const match = FRAME.exec(text.slice(tail));
  if (match === null) return -1;
  const [, before = '', , after = ''] = match;
  if (NO_COUNTER.test(before) || COUNTED.test(after.replace(EXIT_CODE, ''))) return -1;
  return tail + (match.indices?.[2]?.[0] ?? -1 - tail);
}

/** A line of a log, up to the id of the process that wrote it: `Nov 28 10:00:14 host sshd[`. */
const LOG_LINE =
  /(?:^|\n)(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*) \S{1,60} [\w.()/-]{1,40}\[$/;
/** The same without a time. */
const NAMED_LINE = /(?:^|\n)[\w.-]{1,40}\[$/;
const LOG_LINE_UNITS = 120;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** Whether a number is the id of the process that wrote a line of a log: `sshd[4711]`, or `ERROR 4711 --- [main]`. */
export function isLogProcess(text: string, start: number, end: number): boolean {
  return text.startsWith(' --- [', end) || endsLine(LOG_LINE, text, start, end);
}

/** Whether a number may be the id of the process that wrote a line, or an index: `report[4711]: no input`. */
export function mayBeProcess(text: string, start: number, end: number): boolean {
  return unitAt(text, end + 1) === COLON && endsLine(NAMED_LINE, text, start, end);
}

function endsLine(line: RegExp, text: string, start: number, end: number): boolean {
  if (unitAt(text, start - 1) !== OPEN || unitAt(text, end) !== CLOSE) return false;
  return line.test(text.slice(Math.max(0, start - LOG_LINE_UNITS), start));
}

/** Whether a token that ends here is the key of a field in JSON. */
export function isKey(text: string, end: number): boolean {
  let at = end;
  while (kindAt(text, at) === ESCAPE) at += 1;
  return unitAt(text, at) === QUOTE && unitAt(text, at + 1) === COLON;
}

/** First units of the days of the week, and of the months. */
const DAY_STARTS = unitTable('MTWFSJAOND');

/** Whether a word may be `Mon`, `Tuesday` or `May`. */
export function mayBeDay(text: string, start: number, end: number): boolean {
  return end - start >= 3 && end - start <= 9 && DAY_STARTS[text.charCodeAt(start)] === 1;
}

/** Whether what follows the digits that start here may make them a time, a duration or a size. */
export function mayBeTimed(text: string, start: number): boolean {
  let at = start;
  while (kindAt(text, at) === DIGIT) at += 1;
  let next = unitAt(text, at);
  if (next === COLON) return at - start <= 2;
  if (next === HYPHEN || next === SLASH) return at - start === 4;
  if (next === DOT || next === COMMA) {
    at += 1;
    while (kindAt(text, at) === DIGIT) at += 1;
    // What stands before it may say that it is one.
    if (kindAt(text, start - 1) === SPACE) return true;
    next = unitAt(text, at);
  }
  if (next === 0x20 || next === 0xa0) next = unitAt(text, at + 1);
  // Chinese, Japanese and Korean have signs for them.
  return UNIT_STARTS[next] === 1 || next > 0x2fff;
}

/** Whether only white space and signs stand between a label and its value. */
export function isGap(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (GAP[text.charCodeAt(at)] !== 1) return false;
  return to > from;
}

/** Whether a label is separated from its value as the name of a field is. */
export function hasSign(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === COLON || unit === EQUALS || unit === HASH) return true;
  }
  return false;
}

/** Whether a token is the value of a parameter in a link. */
export function isParameter(text: string, start: number): boolean {
  if (unitAt(text, start - 1) !== EQUALS) return false;
  return /[?&][\w.-]{1,40}=$/.test(text.slice(Math.max(0, start - 42), start));
}

/** Whether a number is the integer or the fractional part of a decimal one. */
export function isDecimal(text: string, start: number, end: number): boolean {
  const isDot = (at: number) => text.charAt(at) === '.' || text.charAt(at) === ',';
  return (
    (isDot(end) && kindAt(text, end + 1) === DIGIT) || (isDot(start - 1) && kindAt(text, start - 2) === DIGIT)
  );
}

const HOST = /(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|\]):$/;
/** Ports of this many digits are mostly those that a system hands out. */
const PORT_UNITS = 5;

/** Whether a number is a port of a connection, which differs with each. */
export function isPort(text: string, start: number, end: number): boolean {
  if (end - start !== PORT_UNITS || unitAt(text, start - 1) !== COLON) return false;
  return HOST.test(text.slice(Math.max(0, start - 16), start));
}

/** Signs between which a statement stands. */
const BREAKS = ['\n', ',', ';', '{', '}', '\\n'];
/** Words before a token are searched this far back. */
const BEFORE_UNITS = 40;

/** What names the job in which an answer was found, at its beginning or as a field. */
const OF_JOB = /^\W{0,3}(?:job|task)(?:[ _]?id)?\W{1,5}(?:\w{1,8}[_-])?$/i;
const JOB_FIELD = /"(?:job|task)_?id\\?": ?\\?"(?:\w{1,8}[_-])?$/i;
/** A sentence, which is the answer unless it tells of the job. */
const SENTENCE = /(?:\p{L}[\p{L}'’]{0,20},? ){8}/u;
const OF_A_JOB =
  /\b(?:jobs?|tasks?|queued?|submitted|started|created|accepted|scheduled|launched|running|pending|assigned)\b/i;

/** Whether a token only names the job in which an answer was found. */
function namesJob(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - BEFORE_UNITS), start);
  const isNamed = (start <= BEFORE_UNITS && OF_JOB.test(before)) || JOB_FIELD.test(before);
  return isNamed && SENTENCE.test(text) && !OF_A_JOB.test(text.replace(before, ''));
}

/** Whether the words before a token say that it is what was asked for. */
export function isAnnounced(text: string, start: number): boolean {
  const before = text.slice(Math.max(0, start - BEFORE_UNITS), start);
  const from = Math.max(...BREAKS.map((sign) => before.lastIndexOf(sign)));
  return announcesNews(before.slice(from + 1)) && !namesJob(text, start);
}

/** 1 at each of the units. */
function unitTable(units: string): Uint8Array {
  const table = new Uint8Array(0x100);
  for (const unit of units) table[unit.charCodeAt(0)] = 1;
  return table;
}
