import { performance } from 'node:perf_hooks';

/** What a bench reports: one JSON line. `ratio` is what is required to stay on one side of `required`. */
export interface Figures {
  readonly ratio: number;
  readonly required: string;
  readonly [figure: string]: number | string;
}

/** One part of `npm run bench`. */
export type Bench = (full: boolean) => Promise<Figures[]> | Figures[];

/** Milliseconds that `work` takes. */
export function time(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** The value that a share of them, from 0 to 1, does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Three significant digits: more would be noise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
