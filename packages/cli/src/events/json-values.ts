/** Lines, or parts of them, that belong together. */
export interface Piece {
  /** Number of the first line, from 0. */
  readonly first: number;
  readonly lines: readonly string[];
  /** Whether they are one JSON value, as far as the brackets show. */
  readonly isValue: boolean;
}

/**
 * Splits the lines of a file into JSON values that follow one another, each of any number of lines, with or without a line break
 * after it. Only the lines of a value that has not ended are kept.
 */
export class JsonValues {
  #first = 0;
  #lines: string[] = [];
  #depth = 0;
  /** UTF-16 units of the value that has not ended. */
  units = 0;

  /** @returns the values that end in the line, and what stands between them */
  add(line: string, at: number): Piece[] {
    const pieces: Piece[] = [];
    let from = 0;
    const take = (end: number, isValue: boolean) => {
      const text = line.slice(from, end);
      from = end;
      if (this.#lines.length === 0) this.#first = at;
      if (text.trim() === '' && this.#lines.length === 0) return;
      pieces.push({ first: this.#first, lines: [...this.#lines, text], isValue });
      this.#lines = [];
      this.units = 0;
    };
    for (const end of this.#endsIn(line)) take(end, true);
    if (this.#depth === 0) take(line.length, false);
    else {
      if (this.#lines.length === 0) this.#first = at;
      this.#lines.push(line.slice(from));
      this.units += line.length - from;
    }
    return pieces;
  }

  /** The lines of a value that has not ended. */
  end(): Piece[] {
    const lines = this.#lines;
    this.#lines = [];
    this.#depth = 0;
    this.units = 0;
    return lines.length === 0 ? [] : [{ first: this.#first, lines, isValue: false }];
  }

  /** Where values end in a line. No string of JSON has a line break in it. */
  #endsIn(line: string): number[] {
    const ends: number[] = [];
    for (let i = 0; i < line.length; i += 1) {
      const char = line[i];
      if (char === '"' && this.#depth > 0) i = endOfString(line, i);
      else if (char === '{' || char === '[') this.#depth += 1;
      else if ((char === '}' || char === ']') && this.#depth > 0) {
        this.#depth -= 1;
        if (this.#depth === 0) ends.push(i + 1);
      }
    }
    return ends;
  }
}

function endOfString(line: string, start: number): number {
  for (let i = start + 1; i < line.length; i += 1) {
    if (line[i] === '\\') i += 1;
    else if (line[i] === '"') return i;
  }
  return line.length;
}
