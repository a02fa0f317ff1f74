import type { Fault } from '@loopwatch/formats';
import type { BadLines } from '../events/bad-lines.ts';

/** What could not be read in a file, until it is known whether the file is a history at all. */
export class FileFaults {
  readonly #faults: (Pick<Fault, 'message'> & { readonly line: number; readonly reason?: string })[] = [];
  /** Lines read so far. */
  lines = 0;

  get count(): number {
    return this.#faults.length;
  }

  /** @param line from 1; 0 for the file as a whole */
  add(line: number, { message, reason }: { message: string; reason?: string }): void {
    this.#faults.push({ line, message, ...(reason !== undefined && { reason }) });
  }

  tell(file: string, bad: BadLines): void {
    for (const { line, message, reason } of this.#faults) {
      // The agent of a live session is still writing the last line.
      const isUnfinished = reason === 'not_json' && line === this.lines && line > 1;
      if (!isUnfinished) bad.add(file, line, message);
    }
  }
}
