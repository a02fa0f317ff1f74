/** Maximum digits of a number; longer runs of digits are ordinary text. */
export const MAX_DIGITS = 9;

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
