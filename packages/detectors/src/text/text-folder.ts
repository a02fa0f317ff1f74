import { CONSTANT, COUNTER, NumberMemory } from './number-memory.ts';

/** Receives a text in its folded form. */
export interface FoldedText {
  /** `text` from `from` up to `to` stands as it is; `at` is the place of all of it, or null where units lie where they lie. */
  folded(text: string, from: number, to: number, at: number | null): void;
  /** A number follows that counts, or one that says something. */
  number(counts: boolean): void;
}

/** Stands for a number that is not the same as one of the last ones. */
const NUMBER = '\uffff';
/** Digits of the longest number that is read as one; more are taken as they are. */
const MAX_DIGITS = 9;
/** In a run of white space every unit of this many stands for all. */
const BLANKS_AS_ONE = 4;

const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const ZERO = 0x30;

/**
 * Brings a text into a form in which what only counts or indents is the same: a run of white space becomes its first
 * unit, and a number that changes becomes {@link NUMBER}. It does not matter how the text is cut.
 */
export class TextFolder {
  private readonly numbers = new NumberMemory();
  /** Digits of the current number; empty outside a number. */
  private digits = '';
  /** The digits that come belong to a number that is too long. */
  private endless = false;
  /** Units of white space at the end of the text so far. */
  private blanks = 0;

  fold(text: string, from: number, to: number, form: FoldedText): void {
    let plain = from;
    for (let i = from; i < to; i += 1) {
      const unit = text.charCodeAt(i);
      if (unit === SPACE || (unit >= TAB && unit <= CARRIAGE_RETURN)) {
        if (this.digits !== '') this.endNumber(i, form);
        this.endless = false;
        this.blanks += 1;
        if (this.blanks % BLANKS_AS_ONE !== 1) {
          if (plain < i) form.folded(text, plain, i, null);
          plain = i + 1;
        }
        continue;
      }
      this.blanks = 0;
      if (unit >= ZERO && unit < ZERO + 10) {
        if (this.endless) continue;
        if (plain < i) form.folded(text, plain, i, null);
        plain = i + 1;
        this.digits += text[i] as string;
        if (this.digits.length <= MAX_DIGITS) continue;
        form.folded(this.digits, 0, this.digits.length, i);
        this.digits = '';
        this.endless = true;
      } else {
        if (this.digits !== '') this.endNumber(i, form);
        this.endless = false;
      }
    }
    if (plain < to) form.folded(text, plain, to, null);
  }

  private endNumber(at: number, form: FoldedText): void {
    const { digits } = this;
    this.digits = '';
    const kind = this.numbers.take(Number(digits));
    if (kind === CONSTANT) {
      form.folded(digits, 0, digits.length, at);
      return;
    }
    form.number(kind === COUNTER);
    form.folded(NUMBER, 0, 1, at);
  }

  /** Forgets the text: the next unit begins another. */
  restart(): void {
    this.numbers.clear();
    this.digits = '';
    this.endless = false;
    this.blanks = 0;
  }

  snapshot(): FolderSnapshot {
    const { digits, endless, blanks } = this;
    return { numbers: this.numbers.snapshot(), digits, endless, blanks };
  }

  restore({ numbers, digits, endless, blanks }: FolderSnapshot): void {
    this.numbers.restore(numbers);
    this.digits = digits;
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
