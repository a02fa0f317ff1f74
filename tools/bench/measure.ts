import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** The report of a bench: one JSON line. `ratio` is compared with `required`; `null`: not measured. */
export interface Figures {
  readonly ratio: number | null;
  readonly required: string;
  readonly [figure: string]: number | string | null;
}

/** One part of `npm run bench`. `sizes`: measure only these numbers of sessions of real traffic. */
export type Bench = (full: boolean, sizes?: readonly number[]) => Promise<Figures[]> | Figures[];

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

/** The quantile of the values; the share is from 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

/** Buffers are freed slightly later than the objects that own them. */
export async function collectGarbage(): Promise<void> {
  if (global.gc === undefined) throw new Error('memory needs node --expose-gc');
  for (let round = 0; round < 4; round += 1) {
    global.gc();
    await setTimeout(20);
  }
}

/** Three significant digits: more would be noise. */
export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
