import type { FileRecord } from './read-records.ts';

/** A file of which most records were not understood. */
export interface NotUnderstood {
  readonly file: string;
  readonly records: number;
  readonly unknown: number;
  /** Their most frequent type. */
  readonly type: string;
}

/** Counts the records of a file that no format understands. A record that is known to be irrelevant is understood. */
export class UnderstoodRecords {
  #records = 0;
  #unknown = 0;
  readonly #types = new Map<string, number>();

  add({ records, unknown, ignored }: FileRecord): void {
    this.#records += records;
    this.#unknown += unknown;
    const [type] = unknown > 0 ? ignored : [];
    if (type !== undefined) this.#types.set(type, (this.#types.get(type) ?? 0) + 1);
  }

  /** The file's counts, if most of its records were not understood. */
  verdictOn(file: string): NotUnderstood | undefined {
    if (this.#unknown * 2 <= this.#records) return undefined;
    const [type = 'unknown'] = [...this.#types].sort(([, a], [, b]) => b - a)[0] ?? [];
    return { file, records: this.#records, unknown: this.#unknown, type };
  }
}

/** `a.jsonl: 40 of 43 records were not understood, most of type "turn": the result does not cover them` */
export function notUnderstoodText({ file, records, unknown, type }: NotUnderstood): string {
  return (
    `${file}: ${String(unknown)} of ${String(records)} records were not understood, most of type "${type}": ` +
    'the result does not cover them'
  );
}
