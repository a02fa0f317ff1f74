/**
 * Recognizes the structure of streamed Markdown: fences, list items, headings, quotes, table rows and dividers. It
 * works line by line and one UTF-16 unit at a time, so the result does not depend on how the stream was chunked.
 * Structure repeats legitimately, so the search for repeated text restarts wherever one of these begins.
 */

/** The unit is ordinary text and is searched for repetition. */
export const TRACK = 0;
/** The unit completes a marker: forget the text so far and continue with the next unit. */
export const RESTART = 1;
/** The unit is not text: inside a fence or a divider. */
export const SKIP = 2;

const LINE_START = 0;
const BODY = 1;
const BULLET_OR_DIVIDER = 2;
const DIVIDER_ONLY = 3;
const DIGITS = 4;
const AFTER_DIGITS = 5;
const HASHES = 6;
const FENCE_MARK = 7;
const IN_DIVIDER = 8;
const FENCE_LINE_START = 9;
const FENCE_BODY = 10;
const FENCE_CLOSING_MARK = 11;
const FENCE_CLOSING_LINE = 12;

const TAB = 0x09;
const LINE_BREAK = 0x0a;
const SPACE = 0x20;
const HASH = 0x23;
const ASTERISK = 0x2a;
const PLUS = 0x2b;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const RIGHT_PARENTHESIS = 0x29;
const ZERO = 0x30;
const NINE = 0x39;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const UNDERSCORE = 0x5f;
const BACKTICK = 0x60;
const PIPE = 0x7c;
const TILDE = 0x7e;

export class LineStructure {
  #state = LINE_START;
  /** Units of the current marker so far. */
  #length = 0;
  /** The character of the current fence. */
  #fence = 0;

  /** The rest of the line is ordinary text: only a line break matters. */
  get inBody(): boolean {
    return this.#state === BODY;
  }

  /** The rest of the line is not text. */
  get inSkippedLine(): boolean {
    return this.#state === FENCE_BODY || this.#state === FENCE_CLOSING_LINE;
  }

  /** A code fence is open. */
  get inFence(): boolean {
    return this.#state >= FENCE_LINE_START;
  }

  /** The next unit begins a line, and an open fence is closed. */
  startLine(): void {
    this.#state = LINE_START;
  }

  /** A line break that ends a line for which {@link inBody} or {@link inSkippedLine} holds. */
  endLine(): void {
    this.#state = this.#state === FENCE_BODY ? FENCE_LINE_START : LINE_START;
  }

  /** Processes the next unit. @returns {@link TRACK}, {@link RESTART} or {@link SKIP} */
  step(unit: number): number {
    switch (this.#state) {
      case LINE_START:
        return this.#begin(unit);
      case BULLET_OR_DIVIDER:
        return isBlank(unit) && this.#length === 1 ? this.#complete(BODY) : this.#stepDivider(unit);
      case DIVIDER_ONLY:
        return this.#stepDivider(unit);
      case DIGITS:
        if (isDigit(unit) && this.#length < 9) return this.#extend();
        return unit === DOT || unit === RIGHT_PARENTHESIS ? this.#enter(AFTER_DIGITS) : this.#text(unit);
      case AFTER_DIGITS:
        return isBlank(unit) ? this.#complete(BODY) : this.#text(unit);
      case HASHES:
        if (unit === HASH && this.#length < 6) return this.#extend();
        return isBlank(unit) ? this.#complete(BODY) : this.#text(unit);
      case FENCE_MARK:
        if (unit !== this.#fence) return this.#text(unit);
        return this.#length === 2 ? this.#complete(FENCE_BODY) : this.#extend();
      case IN_DIVIDER:
        return isDivider(unit) ? SKIP : this.#text(unit);
      case FENCE_LINE_START:
      case FENCE_BODY:
      case FENCE_CLOSING_MARK:
      case FENCE_CLOSING_LINE:
        return this.#stepFence(unit);
      default:
        return this.#text(unit);
    }
  }

  /** The first unit after a line's indentation determines which marker it can be. */
  #begin(unit: number): number {
    if (isBlank(unit)) return TRACK;
    this.#length = 1;
    if (unit === HYPHEN || unit === ASTERISK || unit === PLUS) return this.#enter(BULLET_OR_DIVIDER);
    if (isDivider(unit)) return this.#enter(DIVIDER_ONLY);
    if (isDigit(unit)) return this.#enter(DIGITS);
    if (unit === HASH) return this.#enter(HASHES);
    if (unit === GREATER || unit === PIPE) return this.#complete(BODY);
    if (unit !== BACKTICK && unit !== TILDE) return this.#text(unit);
    this.#fence = unit;
    return this.#enter(FENCE_MARK);
  }

  #stepDivider(unit: number): number {
    if (!isDivider(unit)) return this.#text(unit);
    return this.#length === 2 ? this.#complete(IN_DIVIDER) : this.#extend();
  }

  #stepFence(unit: number): number {
    if (unit === LINE_BREAK) {
      this.#state = this.#state === FENCE_CLOSING_LINE ? LINE_START : FENCE_LINE_START;
    } else if (this.#state === FENCE_LINE_START && unit === this.#fence) {
      this.#state = FENCE_CLOSING_MARK;
      this.#length = 1;
    } else if (this.#state === FENCE_CLOSING_MARK && unit === this.#fence) {
      this.#length += 1;
      if (this.#length === 3) this.#state = FENCE_CLOSING_LINE;
    } else if (this.#state === FENCE_CLOSING_MARK || (this.#state === FENCE_LINE_START && !isBlank(unit))) {
      this.#state = FENCE_BODY;
    }
    return SKIP;
  }

  #text(unit: number): number {
    this.#state = unit === LINE_BREAK ? LINE_START : BODY;
    return TRACK;
  }

  #enter(state: number): number {
    this.#state = state;
    return TRACK;
  }

  #extend(): number {
    this.#length += 1;
    return TRACK;
  }

  #complete(state: number): number {
    this.#state = state;
    return RESTART;
  }

  snapshot(): LineSnapshot {
    return { state: this.#state, length: this.#length, fence: this.#fence };
  }

  restore({ state, length, fence }: LineSnapshot): void {
    this.#state = state;
    this.#length = length;
    this.#fence = fence;
  }
}

export interface LineSnapshot {
  readonly state: number;
  readonly length: number;
  readonly fence: number;
}

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

function isDigit(unit: number): boolean {
  return unit >= ZERO && unit <= NINE;
}

/** `- _ * = +` and the box-drawing block U+2500..U+257F. */
function isDivider(unit: number): boolean {
  return (
    unit === HYPHEN ||
    unit === UNDERSCORE ||
    unit === ASTERISK ||
    unit === EQUALS ||
    unit === PLUS ||
    (unit >= 0x2500 && unit <= 0x257f)
  );
}
