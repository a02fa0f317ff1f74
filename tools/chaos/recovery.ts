import type { LogLine } from './fleet.ts';

/** Milliseconds. */
export interface Distribution {
  readonly count: number;
  readonly p50: number;
  readonly max: number;
}

/** The workers' reports of the partitions they took over. */
export interface Takeovers {
  /** From a partition assigned to its first new record. */
  readonly durations: Distribution;
  readonly sessionsRestored: number;
  readonly recordsReplayed: number;
  readonly longestReplay: number;
  readonly interruptions: number;
}

export function takeovers(lines: readonly LogLine[]): Takeovers {
  const taken = lines.filter(isTakeover);
  const replays = taken.map(({ fields }) => Number(fields['replayed']));
  return {
    durations: distribution(taken.map(({ fields }) => Number(fields['durationMs']))),
    sessionsRestored: sum(taken.map(({ fields }) => Number(fields['restored']))),
    recordsReplayed: sum(replays),
    longestReplay: Math.max(0, ...replays),
    interruptions: lines.filter(({ message }) => / restarts from the last commit/.test(message)).length,
  };
}

/** Whether a worker reports that it has taken a partition over. */
export function isTakeover({ message }: LogLine): boolean {
  return /^Partition \d+ recovered in/.test(message);
}

export function distribution(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  return { count: sorted.length, p50: sorted[sorted.length >> 1] ?? 0, max: sorted.at(-1) ?? 0 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
