import { DIGIT, ESCAPE, JOINT, kindAt, LOWER, SPACE, TOKEN, UPPER } from './text-units.ts';
import {
  counterIn,
  hasSign,
  isDay,
  isDecimal,
  isGap,
  isKey,
  isParameter,
  mayBeTimed,
} from './token-context.ts';
import {
  announcesNews,
  isFrameLabel,
  isIdLabel,
  isTimeLabel,
  isTryLabel,
  isVolatileIdLabel,
  PROCESS_LABELS,
} from './token-labels.ts';
import { isRandomRun, isTemporaryName, pieceKind, type ShapeKind } from './token-shape.ts';

/**
 * What differs by itself, or may: a token that looks random, a number, a size in bytes, a counter in a frame, or a
 * token that is likely to be what was asked for.
 */
export type HoleKind = ShapeKind | 'size' | 'counter' | 'news';

/** A token that may differ although two results say the same. */
export interface Hole {
  readonly kind: HoleKind;
  readonly value: string;
}

/** A result as read by the lexer. */
export interface LexedResult {
  /** Without known volatile tokens, and with white space folded. */
  readonly normal: string;
  /** The same with a placeholder for each hole; the same string if there is none. */
  readonly bulk: string;
  /** In the order of the text; `null` if there are more. */
  readonly holes: readonly Hole[] | null;
  /** Words outside of holes and keys. */
  readonly words: number;
}

export interface LexOptions {
  /** Whether the text is an error: numbers in it are rarely the answer. */
  readonly isError: boolean;
}

/** A result with more holes is a list of ids, which are its content. */
const MAX_HOLES = 16;
const MAX_VALUE_UNITS = 32;
/** A shorter parameter of a link may be the number of a page. */
const MIN_PARAMETER = 20;

const EQUALS = 0x3d;

const COLOR = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;
const COLOR_START = '\u001b[';

const FRACTION = '(?:[.,]\\d+)?';
/** Times and durations that start with a digit, and the number of tries left. */
const TIMED = new RegExp(
  [
    `(\\d{4}[-/]\\d\\d[-/]\\d\\d[T ]\\d\\d:\\d\\d(?::\\d\\d${FRACTION})?(?:Z|[+-]\\d\\d:?\\d\\d)?)`,
    `(\\d{1,2}:\\d\\d:\\d\\d${FRACTION}\\b)`,
    '((?:\\d+h ?)?(?:\\d+m ?)?\\d+(?:\\.\\d+)?\\s?(?:ns|µs|us|ms|s|secs?|seconds?|mins?|minutes?)\\b)',
    '(\\d+(?= (?:attempts?|tries|retries|guesses)\\b))',
    '(\\d+(?:\\.\\d+)? ?[KMGT]i?B\\b)',
  ].join('|'),
  'y',
);
const TIMED_SIGNS = ['<time>', '<time>', '<duration>', '<n>'] as const;
const DATED =
  /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}(?: \d{1,2})?,? (?:\d{4} )?\d{2}:\d{2}:\d{2}(?: \d{4})?/y;
const NUMBER = /\d+(?:\.\d+)?/y;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/gi;
const UUID_UNITS = 36;
const ADDRESS = /0x[0-9a-f]{4,}(?![0-9a-z])/iy;
const EPOCH = /^1[5-9]\d{8}(?:\d{3})?$/;
const TEMPORARY_FILE = /\/(?:tmp|T)\/(?:tmp|cc(?=\w{6}$))/;
/** Where programs put temporary files. */
const TEMPORARY = /^(?:\/private)?\/(?:tmp|var\/(?:tmp|folders))\/|^Temp$/;
/** Words before a token are searched for labels this far back. */
const BEFORE_UNITS = 40;

/**
 * Reads a result once: replaces known volatile tokens, folds white space, and finds the tokens that look random. Takes
 * linear time.
 */
export function lexResult(raw: string, options: LexOptions): LexedResult {
  const text = raw.includes(COLOR_START) ? raw.replace(COLOR, '') : raw;
  return new Lexer(text, options).run();
}

/** A text with its volatile parts replaced. */
export function normalizeText(text: string): string {
  return lexResult(text, { isError: false }).normal;
}

class Lexer {
  private readonly text: string;
  private readonly isError: boolean;
  private normal = '';
  private bulk = '';
  /** Where the text that is still to be copied starts, for both forms. */
  private from = 0;
  private holes: Hole[] | null = [];
  private words = 0;
  /** The last two tokens that are words. */
  private labelStart = 0;
  private labelEnd = 0;
  private labelBeforeStart = 0;
  private labelBeforeEnd = 0;
  /** Whether the current path is that of a temporary file. */
  private isTemporary = false;
  private lastEnd = 0;
  private readonly counterAt: number;

  constructor(text: string, { isError }: LexOptions) {
    this.text = text;
    this.isError = isError;
    this.counterAt = counterIn(text);
  }

  run(): LexedResult {
    const { text } = this;
    const { length } = text;
    let at = 0;
    while (at < length) {
      const kind = kindAt(text, at);
      if ((kind & TOKEN) !== 0) at = this.token(at);
      else if (kind === SPACE) {
        const start = at;
        do at += 1;
        while (at < length && kindAt(text, at) === SPACE);
        if (at - start > 1 || text.charCodeAt(start) !== 0x20) this.replace(start, at, ' ', ' ');
      } else if (kind === ESCAPE) {
        // An escaped line break in JSON does not belong to the word after it.
        while (at < length && kindAt(text, at) === ESCAPE) at += 1;
        const unit = text.charCodeAt(at);
        if (unit === 0x6e || unit === 0x72 || unit === 0x74) at += 1;
      } else at += 1;
    }
    return this.result();
  }

  private result(): LexedResult {
    const { text, from, words } = this;
    if (from === 0) {
      const same = text.trim();
      return { normal: same, bulk: same, holes: this.holes, words };
    }
    const rest = text.slice(from);
    const normal = (this.normal + rest).trim();
    const hasHoles = this.holes === null || this.holes.length > 0;
    return { normal, bulk: hasHoles ? (this.bulk + rest).trim() : normal, holes: this.holes, words };
  }

  /** Reads the token that starts here. @returns the end of what was read */
  private token(start: number): number {
    const { text } = this;
    const { length } = text;
    let at = start;
    let digits = 0;
    let turns = 0;
    let before = 0;
    for (; at < length; at += 1) {
      const kind = kindAt(text, at);
      if ((kind & TOKEN) === 0) break;
      if (kind === DIGIT) digits += 1;
      // Lower case after upper case starts most names, so only the way back counts.
      else if (before === LOWER && kind === UPPER) turns += 1;
      before = kind;
    }
    if (digits === 0 && turns < 3) {
      const end = this.word(start, at);
      this.lastEnd = end;
      return end;
    }
    const end = this.value(start, at, digits);
    this.lastEnd = end;
    return end;
  }

  private word(start: number, end: number): number {
    const { text } = this;
    if (end - start < 2) {
      if (kindAt(text, start) === JOINT) return end;
    } else if (!isKey(text, end)) this.words += 1;
    if (isDay(text, start, end)) {
      DATED.lastIndex = start;
      const [date] = DATED.exec(text) ?? [];
      if (date !== undefined) {
        this.replace(start, start + date.length, '<time>', '<time>');
        return start + date.length;
      }
    }
    if (this.temporaryPath(start, end)) this.temporaryFile(start, end);
    this.label(start, end);
    return end;
  }

  private label(start: number, end: number): void {
    this.labelBeforeStart = this.labelStart;
    this.labelBeforeEnd = this.labelEnd;
    this.labelStart = start;
    this.labelEnd = end;
  }

  /** Reads a token that contains digits, or upper and lower case in turn. */
  private value(start: number, end: number, digits: number): number {
    const { text } = this;
    let first = start;
    while (kindAt(text, first) === JOINT) first += 1;
    const timed = kindAt(text, first) === DIGIT ? this.timed(first) : 0;
    if (timed > 0) return timed;
    const labelled = this.labelled(start, first, end, digits);
    if (labelled > 0) return labelled;
    const isTemporary = this.temporaryPath(start, end);
    if (isTemporary && this.temporaryFile(start, end)) return end;
    if (end - start >= UUID_UNITS && this.uuids(start, end)) return end;
    if (isRandomRun(text, first, end)) this.id(first, end, isTemporary);
    else this.pieces(first, end, isTemporary);
    this.label(start, end);
    return end;
  }

  /** A time, a duration or a size. @returns where it ends; 0 if there is none */
  private timed(start: number): number {
    const { text } = this;
    if (!mayBeTimed(text, start)) return 0;
    TIMED.lastIndex = start;
    const match = TIMED.exec(text);
    if (match === null) return 0;
    const end = start + match[0].length;
    const sign = TIMED_SIGNS.find((_, group) => match[group + 1] !== undefined);
    if (sign === undefined) this.hole('size', start, end);
    else this.replace(start, end, sign, sign);
    // Otherwise the unit would count as a label.
    this.labelStart = end;
    this.labelEnd = end;
    return end;
  }

  /** A value whose label says what it is. @returns where it ends; 0 if the label does not say */
  private labelled(start: number, first: number, end: number, digits: number): number {
    const { text } = this;
    const gap = first - this.labelEnd;
    if (this.labelEnd === 0 || gap > BEFORE_UNITS / 2 || !isGap(text, this.labelEnd, start)) return 0;
    const label = text.slice(this.labelStart, this.labelEnd);
    const { labelBeforeStart, labelBeforeEnd } = this;
    const labelBefore =
      this.labelStart - labelBeforeEnd === 1 ? text.slice(labelBeforeStart, labelBeforeEnd) : '';
    const isNumber = digits === end - first;
    if (isNumber) {
      const isField = hasSign(text, this.labelEnd, first);
      if (PROCESS_LABELS.has(label.toLowerCase()) || (/^id$/i.test(label) && /^process$/i.test(labelBefore)))
        return this.put(first, end, '<pid>');
      if (isField && isTimeLabel(label)) {
        NUMBER.lastIndex = first;
        const number = NUMBER.exec(text)?.[0] ?? '';
        return this.put(first, first + number.length, '<time>');
      }
      if (EPOCH.test(text.slice(first, end))) return this.put(first, end, '<time>');
      if (gap <= 4 && isTryLabel(label)) return this.put(first, end, '<n>');
    }
    if (isVolatileIdLabel(label, labelBefore) && end - first >= 4) return this.put(first, end, '<id>');
    // A number in a text is an answer, one that a label calls an id is not.
    const isFrame = isFrameLabel(label);
    if (isFrame || isIdLabel(label)) {
      if (this.isError || !isNumber || hasSign(text, this.labelEnd, first)) {
        this.hole(!isFrame && this.isNews(first) ? 'news' : 'id', first, end);
        return end;
      }
    }
    return 0;
  }

  private put(start: number, end: number, sign: string): number {
    this.replace(start, end, sign, sign);
    return end;
  }

  private temporaryPath(start: number, end: number): boolean {
    const { text } = this;
    const unit = text.charCodeAt(start);
    if (unit === 0x2f || unit === 0x54)
      this.isTemporary = TEMPORARY.test(text.slice(start, Math.min(end, start + 24)));
    else if (
      start - this.lastEnd > 1 ||
      (text.charCodeAt(start - 1) !== 0x2e && text.charCodeAt(start - 1) !== 0x5c)
    )
      this.isTemporary = false;
    return this.isTemporary;
  }

  /** A file that a program named: what follows its prefix. */
  private temporaryFile(start: number, end: number): boolean {
    const name = TEMPORARY_FILE.exec(this.text.slice(start, end));
    if (name === null) return false;
    const after = this.text.indexOf('/', start + name.index + name[0].length);
    this.put(start + name.index, after === -1 || after > end ? end : after, '<temporary>');
    return true;
  }

  private uuids(start: number, end: number): boolean {
    let found = false;
    for (const { index } of this.text.slice(start, end).matchAll(UUID)) {
      this.put(start + index, start + index + UUID_UNITS, '<uuid>');
      found = true;
    }
    return found;
  }

  /** The parts of a token between its joints. */
  private pieces(start: number, end: number, isTemporary: boolean): void {
    const { text } = this;
    let at = start;
    let label = '';
    while (at < end) {
      let stop = at;
      while (stop < end && kindAt(text, stop) !== JOINT) stop += 1;
      if (stop > at && !this.labelledPiece(label, at, stop)) this.piece(at, stop, isTemporary);
      label = text.slice(at, stop);
      at = stop + 1;
    }
  }

  /** `req-81af`, `thread-3`, `attempt-2`. */
  private labelledPiece(label: string, start: number, end: number): boolean {
    if (label === '' || !/\d/.test(this.text.slice(start, end))) return false;
    const isNumber = pieceKind(this.text, start, end) === 'number';
    const sign = /^req(?:uest)?$/i.test(label)
      ? '<id>'
      : isNumber && PROCESS_LABELS.has(label.toLowerCase())
        ? '<pid>'
        : isNumber && isTryLabel(label)
          ? '<n>'
          : undefined;
    if (sign !== undefined) this.put(start, end, sign);
    return sign !== undefined;
  }

  private piece(start: number, end: number, isTemporary: boolean): void {
    const { text } = this;
    if (text.charCodeAt(start) === 0x30 && end - start > 5) {
      ADDRESS.lastIndex = start;
      if (ADDRESS.test(text)) {
        this.put(start, end, '<address>');
        return;
      }
    }
    if (start === this.counterAt) {
      this.hole('counter', start, end);
      return;
    }
    const kind = pieceKind(text, start, end);
    if (kind === 'number') {
      if (EPOCH.test(text.slice(start, end))) this.put(start, end, '<time>');
      else if (isTemporary && text.slice(start - 7, start) === 'pytest-') this.put(start, end, '<temporary>');
      else if (this.isError && end - start >= 4 && !isDecimal(text, start, end))
        this.hole('number', start, end);
      else if (isTemporary && end - start >= 4) this.put(start, end, '<temporary>');
    } else if (kind === 'id' || (isTemporary && isTemporaryName(text, start, end)))
      this.id(start, end, isTemporary);
  }

  private id(start: number, end: number, isTemporary: boolean): void {
    const { text } = this;
    if (isTemporary) this.put(start, end, '<temporary>');
    else if (end - start >= MIN_PARAMETER && isParameter(text, start)) this.put(start, end, '<token>');
    else this.hole(this.isNews(start) ? 'news' : 'id', start, end);
  }

  /** Whether the words before a token say that it is what was asked for. */
  private isNews(start: number): boolean {
    if (this.isError) return false;
    const before = this.text.slice(Math.max(0, start - BEFORE_UNITS), start);
    const from = Math.max(...['\n', ',', ';', '{', '}', '\\n'].map((sign) => before.lastIndexOf(sign)));
    return announcesNews(before.slice(from + 1));
  }

  private hole(kind: HoleKind, start: number, tokenEnd: number): void {
    let end = tokenEnd;
    // Padding of base64 differs with the length.
    while (end - tokenEnd < 2 && this.text.charCodeAt(end) === EQUALS) end += 1;
    const value = this.text.slice(start, end);
    this.replace(start, end, value, '<?>');
    if (this.holes === null || this.holes.length === MAX_HOLES) this.holes = null;
    else this.holes.push({ kind, value: value.slice(0, MAX_VALUE_UNITS) });
  }

  private replace(start: number, end: number, normal: string, bulk: string): void {
    if (start < this.from) return;
    const before = this.text.slice(this.from, start);
    this.normal += before + normal;
    this.bulk += before + bulk;
    this.from = end;
  }
}
