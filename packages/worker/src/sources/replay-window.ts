/** Records that a takeover translates once more at most, and their bytes. */
const maxRecords = 5_000;
const maxBytes = 16 * 1024 * 1024;

interface Span {
  readonly from: number;
  readonly records: number;
  readonly bytes: number;
}

/**
 * How far a takeover of a source goes back: as far as what a reader remembers of earlier records is likely to matter. What
 * it forgets comes again with the ids it had.
 */
export class ReplayWindow {
  readonly #spans: Span[] = [];
  #records = 0;
  #bytes = 0;

  /** Notes a batch that begins at an offset. */
  note(from: number, records: number, bytes: number): void {
    this.#spans.push({ from, records, bytes });
    this.#records += records;
    this.#bytes += bytes;
    for (
      let [first] = this.#spans;
      first !== undefined && this.#isWideWithout(first);
      [first] = this.#spans
    ) {
      this.#spans.shift();
      this.#records -= first.records;
      this.#bytes -= first.bytes;
    }
  }

  /** @param position where the next record is */
  begin(position: number): number {
    return this.#spans[0]?.from ?? position;
  }

  /** Whether what is left without this batch reaches back far enough. */
  #isWideWithout({ records, bytes }: Span): boolean {
    return this.#records - records >= maxRecords || this.#bytes - bytes >= maxBytes;
  }
}
