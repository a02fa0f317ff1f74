import { withoutColors } from '../lib/terminal-text.ts';
import { type LexedResult, type LexOptions, ResultWriter } from './lexed-result.ts';
import { withoutNonces } from './nonces.ts';
import { mayStartPath, TemporaryPaths, temporaryFile } from './temporary-paths.ts';
import {
  DIGIT,
  ESCAPE,
  JOINT,
  KINDS,
  kindAt,
  LOWER,
  SPACE,
  TOKEN,
  UPPER,
  unitAt,
  WIDE,
} from './text-units.ts';
import { datedToken, endOfNumber, isEpoch, type TimedToken, timedToken } from './time-tokens.ts';
import {
  counterIn,
  hasSign,
  isDecimal,
  isGap,
  isKey,
  isLogProcess,
  isParameter,
  isPort,
  mayBeProcess,
} from './token-context.ts';
import {
  COMPOUND,
  FRAME,
  ID,
  labelSays,
  PROCESS,
  REQUEST,
  STEP,
  TIME,
  TRY,
  VOLATILE_ID,
} from './token-labels.ts';
import { isAddress, isRandomRun, isTemporaryName, pieceKind, UUID_UNITS, uuidsIn } from './token-shape.ts';

/** A shorter parameter of a link may be the number of a page. */
const MIN_PARAMETER = 20;
/** A shorter piece is an id by its label only. */
const MIN_PIECE = 5;
const MIN_ADDRESS = 6;
const MIN_LONG_NUMBER = 4;
/** A number this long counts nothing. */
const MIN_LONG_ID = 12;
/** A label is this near to its value. */
const MAX_GAP = 20;
const MAX_TRY_GAP = 4;
/** `req` to `process`: what can be a label within a token. */
const MIN_LABEL = 3;
const MAX_LABEL = 7;

/** A longer text is no observation. */
const OBSERVATION_UNITS = 600;
/** What follows the number of a picture. */
const PICTURE = /\.(?:png|jpe?g|webp)\b/y;
/** The further parts of an id. */
const PARTS = /(?:[:.][\w-]+)*/y;

/** A text from an environment that moves only if the agent does. */
const ENVIRONMENT = /\b(?:observation|reward|score|inventory|moves|wall|you (?:can|bump|see|are|have))/i;

const BLANK = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Reads a result once: replaces known volatile tokens, folds white space, and finds the tokens that look random. Takes
 * linear time.
 */
export function lexResult(raw: string, options: LexOptions): LexedResult {
  return new Lexer(withoutNonces(withoutColors(raw)), options).run();
}

/** A text with its volatile parts replaced. */
export function normalizeText(text: string): string {
  return lexResult(text, { isError: false }).normal;
}

class Lexer {
  readonly #text: string;
  readonly #isError: boolean;
  readonly #writer: ResultWriter;
  readonly #paths: TemporaryPaths;
  readonly #counterAt: number;
  /** The last two tokens that are words. */
  #labelStart = 0;
  #labelEnd = 0;
  #labelBeforeStart = 0;
  #labelBeforeEnd = 0;

  constructor(text: string, { isError }: LexOptions) {
    this.#text = text;
    this.#isError = isError;
    this.#writer = new ResultWriter(text);
    this.#paths = new TemporaryPaths(text);
    this.#counterAt = counterIn(text);
  }

  /** Reads the whole text. Every unit passes here, so words, which are most of it, are read without calls. */
  run(): LexedResult {
    const text = this.#text;
    const paths = this.#paths;
    const { length } = text;
    let words = 0;
    let keys = 0;
    for (let at = 0; at < length; ) {
      const start = at;
      const first = text.charCodeAt(at);
      const kind = KINDS[first] as number;
      at += 1;
      if ((kind & TOKEN) === 0) {
        if (kind === SPACE) {
          while (kindAt(text, at) === SPACE) at += 1;
          if (at - start > 1 || first !== BLANK) this.#writer.replace(start, at, ' ');
        } else if (kind === ESCAPE) at = afterEscape(text, at);
        else if (kind === WIDE) {
          while (kindAt(text, at) === WIDE) at += 1;
          words += at - start;
        }
        continue;
      }
      let digits = kind === DIGIT ? 1 : 0;
      let turns = 0;
      let next = 0;
      for (let before = kind; at < length; at += 1) {
        next = text.charCodeAt(at);
        const now = KINDS[next] as number;
        if (now !== LOWER) {
          if ((now & TOKEN) === 0) break;
          if (now === DIGIT) digits += 1;
          // Lower case after upper case starts most names, so only the way back counts.
          else if (now === UPPER && before === LOWER) turns += 1;
        }
        before = now;
      }
      if (digits > 0 || turns >= 3) at = this.#value(start, at, digits);
      else {
        const isLong = at - start > 1;
        if (isLong) {
          if ((next === QUOTE || next === BACKSLASH) && isKey(text, at)) keys += 1;
          else words += 1;
        }
        const date = kind === UPPER ? datedToken(text, start, at) : null;
        if (date !== null) at = this.#putTime(start, date);
        else if (isLong || kind !== JOINT) {
          if ((paths.isInside || mayStartPath(first)) && paths.includes(start, at))
            this.#temporaryFile(start, at);
          this.#label(start, at);
        }
      }
      if (paths.isInside) paths.noteEnd(at);
    }
    return this.#writer.result(words, keys);
  }

  #label(start: number, end: number): void {
    this.#labelBeforeStart = this.#labelStart;
    this.#labelBeforeEnd = this.#labelEnd;
    this.#labelStart = start;
    this.#labelEnd = end;
  }

  /** Reads a token that contains digits, or upper and lower case in turn. */
  #value(start: number, end: number, digits: number): number {
    const text = this.#text;
    let first = start;
    while (kindAt(text, first) === JOINT) first += 1;
    const timed = kindAt(text, first) === DIGIT ? this.#timed(first) : 0;
    if (timed > 0) return timed;
    const labelled = this.#labelled(start, first, end, digits);
    if (labelled > 0) return labelled;
    const isTemporary = this.#paths.includes(start, end);
    if (isTemporary && this.#temporaryFile(start, end)) return end;
    if (end - start >= UUID_UNITS && this.#uuids(start, end)) return end;
    if (isRandomRun(text, first, end)) this.#id(first, end, isTemporary);
    else this.#pieces(first, end, isTemporary);
    this.#label(start, end);
    return end;
  }

  /** A time, a duration or a size. @returns where it ends; 0 if there is none */
  #timed(start: number): number {
    const token = timedToken(this.#text, start);
    return token === null ? 0 : this.#putTime(start, token);
  }

  #putTime(start: number, { end, sign = 'size' }: TimedToken): number {
    // Of a number without a unit, which tells the size of what is left out, the first digits must be equal.
    if (sign === 'size')
      this.#writer.hole(sign, kindAt(this.#text, end - 1) === DIGIT ? Math.max(start, end - 2) : start, end);
    else if (sign === 'number') this.#writer.hole(sign, start, end, !this.#isError);
    else this.#writer.replace(start, end, sign);
    // Otherwise the unit would count as a label.
    this.#labelStart = end;
    this.#labelEnd = end;
    return end;
  }

  /** A value whose label says what it is. @returns where it ends; 0 if the label does not say */
  #labelled(start: number, first: number, end: number, digits: number): number {
    const text = this.#text;
    const labelStart = this.#labelStart;
    const labelEnd = this.#labelEnd;
    const gap = first - labelEnd;
    if (labelEnd === 0 || gap > MAX_GAP || !isGap(text, labelEnd, start)) return 0;
    const beforeEnd = this.#labelBeforeEnd;
    const beforeStart = labelStart - beforeEnd === 1 ? this.#labelBeforeStart : beforeEnd;
    const says = labelSays(text, labelStart, labelEnd, beforeStart, beforeEnd);
    const isNumber = digits === end - first;
    if (isNumber) {
      if ((says & PROCESS) !== 0) return this.#put(first, end, '<pid>');
      if (isEpoch(text, first, end)) return this.#put(first, endOfNumber(text, first), '<time>');
      if ((says & TIME) !== 0 && ((says & COMPOUND) !== 0 || hasSign(text, labelEnd, first)))
        return this.#put(first, endOfNumber(text, first), '<duration>');
      if (gap <= MAX_TRY_GAP && (says & TRY) !== 0) return this.#put(first, end, '<n>');
    }
    if (
      (says & STEP) !== 0 &&
      kindAt(text, first) === DIGIT &&
      text.length <= OBSERVATION_UNITS &&
      ENVIRONMENT.test(text)
    ) {
      const stop = endOfNumber(text, first);
      this.#writer.hole('counter', first, stop);
      return stop;
    }
    if ((says & VOLATILE_ID) !== 0 && end - first >= 4) {
      PARTS.lastIndex = end;
      PARTS.test(text);
      return this.#put(first, PARTS.lastIndex, '<id>');
    }
    // A number in a text is an answer, one that a label calls an id is not.
    const isAnswer = isNumber && !this.#isError && !hasSign(text, labelEnd, first);
    if ((says & (FRAME | ID)) === 0 || (isAnswer && ((says & FRAME) === 0 || digits < MIN_LONG_NUMBER)))
      return 0;
    this.#writer.hole('id', first, end, (says & FRAME) === 0 && !this.#isError);
    return end;
  }

  #put(start: number, end: number, sign: string): number {
    this.#writer.replace(start, end, sign);
    return end;
  }

  #temporaryFile(start: number, end: number): boolean {
    const file = temporaryFile(this.#text, start, end);
    if (file !== null) this.#put(file.start, file.end, '<temporary>');
    return file !== null;
  }

  #uuids(start: number, end: number): boolean {
    const found = uuidsIn(this.#text, start, end);
    for (const at of found) this.#put(at, at + UUID_UNITS, '<uuid>');
    return found.length > 0;
  }

  /** The parts of a token between its joints. */
  #pieces(start: number, end: number, isTemporary: boolean): void {
    const text = this.#text;
    let before = start;
    let at = start;
    while (at < end) {
      let stop = at;
      let digits = 0;
      for (; stop < end; stop += 1) {
        const kind = kindAt(text, stop);
        if (kind === JOINT) break;
        if (kind === DIGIT) digits += 1;
      }
      // A time in the name of a file.
      const timedEnd = digits === 4 && stop - at === 4 ? this.#timed(at) : 0;
      if (timedEnd > 0) {
        before = at;
        at = timedEnd + 1;
        continue;
      }
      const label = at - 1 - before;
      const isLabelled = digits > 0 && label >= MIN_LABEL && label <= MAX_LABEL;
      const isDone = isLabelled && this.#labelledPiece(before, at, stop, digits);
      if (stop > at && !isDone) this.#piece(at, stop, digits, isTemporary);
      before = at;
      at = stop + 1;
    }
  }

  /** `req-81af`, `thread-3`, `attempt-2`. */
  #labelledPiece(label: number, start: number, end: number, digits: number): boolean {
    const says = labelSays(this.#text, label, start - 1, 0, 0);
    if ((says & REQUEST) !== 0) this.#put(start, end, '<id>');
    else if (digits < end - start) return false;
    else if ((says & PROCESS) !== 0) this.#put(start, end, '<pid>');
    else if ((says & TRY) !== 0) this.#put(start, end, '<n>');
    else return false;
    return true;
  }

  #piece(start: number, end: number, digits: number, isTemporary: boolean): void {
    const text = this.#text;
    const length = end - start;
    if (start === this.#counterAt) this.#writer.hole('counter', start, end);
    else if (digits === length) this.#number(start, end, isTemporary);
    else if (length >= MIN_ADDRESS && text.charCodeAt(start) === 0x30 && isAddress(text, start))
      this.#put(start, end, '<address>');
    else if (length >= MIN_PIECE && pieceKind(text, start, end) === 'id') this.#id(start, end, isTemporary);
    else if (isTemporary && isTemporaryName(text, start, end)) this.#put(start, end, '<temporary>');
    // `step12.png`
    else if (digits > 0 && this.#isPicture(end)) this.#writer.hole('counter', end - digits, end);
  }

  #isPicture(end: number): boolean {
    PICTURE.lastIndex = end;
    return PICTURE.test(this.#text);
  }

  #number(start: number, end: number, isTemporary: boolean): void {
    const text = this.#text;
    const isError = this.#isError;
    const isLong = end - start >= MIN_LONG_NUMBER;
    if (isEpoch(text, start, end)) this.#put(start, endOfNumber(text, start), '<time>');
    else if (this.#isPicture(end)) this.#writer.hole('counter', start, end);
    else if (isLogProcess(text, start, end)) this.#put(start, end, '<pid>');
    else if (isTemporary && text.slice(start - 7, start) === 'pytest-') this.#put(start, end, '<temporary>');
    else if (isLong && (isError ? !isDecimal(text, start, end) : mayBeProcess(text, start, end)))
      this.#writer.hole('number', start, end);
    else if (!isError && (end - start >= MIN_LONG_ID || isPort(text, start, end)) && !isTemporary)
      this.#writer.hole('number', start, end, true);
    else if (isLong && isTemporary) this.#put(start, end, '<temporary>');
  }

  #id(start: number, end: number, isTemporary: boolean): void {
    const text = this.#text;
    if (isTemporary) this.#put(start, end, '<temporary>');
    else if (end - start >= MIN_PARAMETER && isParameter(text, start)) this.#put(start, end, '<token>');
    else this.#writer.hole('id', start, end, !this.#isError);
  }
}

/** Where an escape ends: an escaped line break in JSON does not belong to the word after it. */
function afterEscape(text: string, from: number): number {
  let at = from;
  while (kindAt(text, at) === ESCAPE) at += 1;
  const unit = unitAt(text, at);
  return unit === 0x6e || unit === 0x72 || unit === 0x74 ? at + 1 : at;
}
