import { type FoldedForm, MAX_DIGITS } from './folded-form.ts';
import { CONSTANT, COUNTER, NumberMemory } from './number-memory.ts';

/** Replaces a number that differs from the latest ones. */
const NUMBER = 0xffff;
/** In a run of white space, one unit in this many is kept. */
const BLANKS_AS_ONE = 4;

const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Converts text to a form in which counters and white space are equal: a run of white space becomes its first unit, and
 * a number that changes becomes {@link NUMBER}. The result does not depend on how the text is chunked.
 */
export class TextFolder {
  private readonly numbers = new NumberMemory();
  /** Digits of the current number, and its value; 0 outside a number. */
  private digits = 0;
  private value = 0;
  /** Whether the next digits continue a number that is too long. */
  private endless = false;
  /** Units of white space at the end of the text so far. */
  private blanks = 0;

  /**
   * Folds the next piece of text, `text` from `from` up to `to`, and replaces the content of `form` with the result.
   */
  fold(text: string, from: number, to: number, form: FoldedForm): void {
    form.begin(to - from);
    const { units, places } = form;
    let { blanks, endless, digits } = this;
    let length = 0;
    for (let i = from; i < to; i += 1) {
      const unit = text.charCodeAt(i);
      if (unit >= ZERO && unit <= NINE && !endless) {
        blanks = 0;
        digits += 1;
        this.value = this.value * 10 + unit - ZERO;
        if (digits <= MAX_DIGITS) continue;
        length = form.addNumber(length, i, this.value, digits);
        endless = true;
        digits = 0;
        this.value = 0;
        continue;
      }
      if (digits > 0) {
        length = this.endNumber(length, i, digits, form);
        digits = 0;
      }
      if (unit > NINE || (unit > SPACE && unit < ZERO)) {
        blanks = 0;
        endless = false;
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
    this.blanks = blanks;
    this.endless = endless;
    this.digits = digits;
  }

  private endNumber(length: number, at: number, digits: number, form: FoldedForm): number {
    const { value } = this;
    this.value = 0;
    const kind = this.numbers.take(value);
    if (kind === CONSTANT) return form.addNumber(length, at, value, digits);
    form.noteNumber(length, kind === COUNTER);
    form.units[length] = NUMBER;
    form.places[length] = at;
    return length + 1;
  }

  /** Forgets the text: the next unit begins another. */
  restart(): void {
    this.numbers.clear();
    this.digits = 0;
    this.value = 0;
    this.endless = false;
    this.blanks = 0;
  }

  snapshot(): FolderSnapshot {
    const { digits, value, endless, blanks } = this;
    return {
      numbers: this.numbers.snapshot(),
      digits: digits === 0 ? '' : String(value).padStart(digits, '0'),
      endless,
      blanks,
    };
  }

  restore({ numbers, digits, endless, blanks }: FolderSnapshot): void {
    this.numbers.restore(numbers);
    this.digits = digits.length;
    this.value = Number(digits);
    this.endless = endless;
    this.blanks = blanks;
  }
}

export interface FolderSnapshot {
  readonly numbers: readonly number[];
  readonly digits: string;
  readonly endless: boolean;
  readonly blanks: number;
}
