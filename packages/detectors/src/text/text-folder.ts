/** Maximum digits of a number; longer runs of digits are ordinary text. */
const MAX_DIGITS = 9;
/** Replaces a number that differs from the latest ones. */
const NUMBER = 0xffff;
/** In a run of white space, one unit in this many is kept. */
const BLANKS_AS_ONE = 4;

/** Precedes each character of Chinese, Japanese and Korean, which says as much as two letters. */
const SECOND = 0x312f;

const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;

/** A repeated passage may contain this many numbers, of which some change. */
const PERIODS = 8;
/** And this many if all of them recur after at most so many units; so many in a row are no chance. */
const LONG_PERIODS = 64;
const NEAR = 400;
const RECURRING = 4;
const REMEMBERED = LONG_PERIODS + RECURRING;

const CONSTANT = 0;
const COUNTER = 1;
const FREE = 2;
type NumberKind = typeof CONSTANT | typeof COUNTER | typeof FREE;

/** A piece of text in folded form. The buffers are reused from piece to piece. */
export class FoldedForm {
  units: Uint16Array;
  /** By folded unit: its index in the text. All digits of a number have the index at which the number ends. */
  places: Int32Array;
  length = 0;
  /** The numbers that change: twice the index of the folded unit, plus one if the number is a counter. */
  readonly numbers: number[] = [];

  constructor(size: number) {
    this.units = new Uint16Array(size + MAX_DIGITS + 1);
    this.places = new Int32Array(size + MAX_DIGITS + 1);
  }

  /** Makes room for a piece of text of this size. */
  begin(size: number): void {
    this.length = 0;
    if (this.numbers.length > 0) this.numbers.length = 0;
    if (size + MAX_DIGITS < this.units.length) return;
    this.units = new Uint16Array(size + MAX_DIGITS + 1);
    this.places = new Int32Array(size + MAX_DIGITS + 1);
  }

  /** Adds the digits of a constant number that ends at `at`. @returns the new length */
  addNumber(length: number, at: number, value: number, digits: number): number {
    for (let i = length + digits - 1, rest = value; i >= length; i -= 1) {
      this.units[i] = 0x30 + (rest % 10);
      this.places[i] = at;
      rest = Math.floor(rest / 10);
    }
    return length + digits;
  }

  noteNumber(index: number, counts: boolean): void {
    this.numbers.push(2 * index + (counts ? 1 : 0));
  }
}

/**
 * Converts text to a form in which counters and white space are equal: a run of white space becomes its first unit, and
 * a number that changes becomes {@link NUMBER}. The result does not depend on how the text is chunked.
 */
export class TextFolder {
  readonly #numbers = new NumberMemory();
  /** Digits of the current number, and its value; 0 outside a number. */
  #digits = 0;
  #value = 0;
  /** Whether the next digits continue a number that is too long. */
  #endless = false;
  /** Units of white space at the end of the text so far. */
  #blanks = 0;
  /** Folded units so far. */
  #folded = 0;

  /**
   * Folds the next piece of text, `text` from `from` up to `to`, and replaces the content of `form` with the result.
   */
  fold(text: string, from: number, to: number, form: FoldedForm): void {
    form.begin(2 * (to - from));
    const { units, places } = form;
    let blanks = this.#blanks;
    let endless = this.#endless;
    let digits = this.#digits;
    let length = 0;
    for (let i = from; i < to; i += 1) {
      const unit = text.charCodeAt(i);
      if (unit >= ZERO && unit <= NINE && !endless) {
        blanks = 0;
        digits += 1;
        this.#value = this.#value * 10 + unit - ZERO;
        if (digits <= MAX_DIGITS) continue;
        length = form.addNumber(length, i, this.#value, digits);
        endless = true;
        digits = 0;
        this.#value = 0;
        continue;
      }
      if (digits > 0) {
        length = this.#endNumber(length, i, digits, form);
        digits = 0;
      }
      if (unit > NINE || (unit > SPACE && unit < ZERO)) {
        blanks = 0;
        endless = false;
        if (unit >= 0x3040 && (unit <= 0x9fff || (unit >= 0xac00 && unit <= 0xd7a3))) {
          units[length] = SECOND;
          places[length] = i;
          length += 1;
        }
      } else if (unit === SPACE || (unit >= TAB && unit <= CARRIAGE_RETURN)) {
        endless = false;
        blanks += 1;
        if (blanks % BLANKS_AS_ONE !== 1) continue;
      } else {
        blanks = 0;
        endless &&= unit >= ZERO;
      }
      units[length] = unit;
      places[length] = i;
      length += 1;
    }
    form.length = length;
    this.#folded += length;
    this.#blanks = blanks;
    this.#endless = endless;
    this.#digits = digits;
  }

  #endNumber(length: number, at: number, digits: number, form: FoldedForm): number {
    const value = this.#value;
    this.#value = 0;
    const kind = this.#numbers.take(value, this.#folded + length);
    if (kind === CONSTANT) return form.addNumber(length, at, value, digits);
    form.noteNumber(length, kind === COUNTER);
    form.units[length] = NUMBER;
    form.places[length] = at;
    return length + 1;
  }

  /** Forgets the text: the next unit begins another. */
  restart(): void {
    this.#numbers.clear();
    this.#digits = 0;
    this.#value = 0;
    this.#endless = false;
    this.#blanks = 0;
    this.#folded = 0;
  }

  snapshot(): FolderSnapshot {
    const digits = this.#digits;
    const value = this.#value;
    const endless = this.#endless;
    const blanks = this.#blanks;
    return {
      numbers: this.#numbers.snapshot(),
      places: this.#numbers.places(this.#folded),
      digits: digits === 0 ? '' : String(value).padStart(digits, '0'),
      endless,
      blanks,
    };
  }

  restore({ numbers, places = [], digits, endless, blanks }: FolderSnapshot): void {
    this.#folded = 0;
    this.#numbers.restore(numbers, places);
    this.#digits = digits.length;
    this.#value = Number(digits);
    this.#endless = endless;
    this.#blanks = blanks;
  }
}

export interface FolderSnapshot {
  readonly numbers: readonly number[];
  /** How far each of them is from the end, as a negative number; absent in snapshots of earlier versions. */
  readonly places?: readonly number[];
  readonly digits: string;
  readonly endless: boolean;
  readonly blanks: number;
}

/**
 * Distinguishes counters from numbers that carry information. A repeated passage may contain up to eight numbers, so
 * each number is compared with those one to eight before it.
 */
class NumberMemory {
  /** A ring of the latest numbers, and the slot of the next. */
  #values: number[] = [];
  /** Where each of them stands in the folded text. */
  #places: number[] = [];
  #slot = 0;

  /** Classifies the next number. {@link COUNTER}: it continues the two before it at its position by a fixed step. */
  take(value: number, place: number): NumberKind {
    const kind = this.#kindOf(value, place);
    this.#values[this.#slot] = value;
    this.#places[this.#slot] = place;
    this.#slot = (this.#slot + 1) % REMEMBERED;
    return kind;
  }

  #kindOf(value: number, place: number): NumberKind {
    const known = this.#values.length;
    for (let period = PERIODS + 1; period <= known - RECURRING; period += 1) {
      if (!(place - (this.#places[this.#index(period)] ?? Number.NaN) <= NEAR)) break;
      if (this.#at(period) === value && this.#recurs(period)) return CONSTANT;
    }
    let kind: NumberKind = FREE;
    for (let period = 1; period <= Math.min(PERIODS, known); period += 1) {
      const before = this.#at(period) as number;
      if (before === value) kind = CONSTANT;
      else {
        const earlier = this.#at(2 * period);
        if (earlier !== undefined && before - earlier === value - before) return COUNTER;
      }
    }
    return kind;
  }

  /** Whether the latest numbers are those of so many numbers before. */
  #recurs(period: number): boolean {
    for (let back = 1; back < RECURRING; back += 1)
      if (this.#at(back) !== this.#at(back + period)) return false;
    return true;
  }

  /** The number this many before the next. */
  #at(back: number): number | undefined {
    return this.#values[this.#index(back)];
  }

  #index(back: number): number {
    return (this.#slot - back + REMEMBERED) % REMEMBERED;
  }

  clear(): void {
    if (this.#values.length > 0) {
      this.#values = [];
      this.#places = [];
    }
    this.#slot = 0;
  }

  /** Newest first. */
  snapshot(): readonly number[] {
    return this.#values.map((_, i) => this.#at(i + 1) as number);
  }

  places(end: number): readonly number[] {
    return this.#values.map((_, i) => (this.#places[this.#index(i + 1)] ?? Number.NaN) - end);
  }

  restore(values: readonly number[], places: readonly number[]): void {
    this.#values = values.toReversed();
    this.#places = places.toReversed();
    this.#slot = values.length % REMEMBERED;
  }
}
