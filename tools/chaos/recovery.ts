import type { Advance } from './commits.ts';
import type { Fault } from './fault-injector.ts';
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

/** A stall that begins later than this after a fault is not caused by it, ms. */
const BLAMED_MS = 15_000;

export function takeovers(lines: readonly LogLine[]): Takeovers {
  const taken = takeoverLines(lines);
  const replays = taken.map(({ fields }) => Number(fields['replayed']));
  return {
    durations: distribution(taken.map(({ fields }) => Number(fields['durationMs']))),
    sessionsRestored: sum(taken.map(({ fields }) => Number(fields['restored']))),
    recordsReplayed: sum(replays),
    longestReplay: Math.max(0, ...replays),
    interruptions: lines.filter(({ message }) => / restarts from the last commit/.test(message)).length,
  };
}

/**
 * The time without a commit for a partition after a fault: from the fault, or the last commit after it, to the next
 * one. For a killed worker, of the partitions it owned; for all other faults, of the partition that waited longest.
 */
export function stalls(
  faults: readonly Fault[],
  advances: readonly Advance[],
  lines: readonly LogLine[],
): Distribution {
  const byPartition = new Map<number, Advance[]>();
  for (const advance of advances) {
    const { partition } = advance;
    byPartition.set(partition, [...(byPartition.get(partition) ?? []), advance]);
  }
  return distribution(
    faults.flatMap((fault) => {
      const partitions = fault.kind === 'kill worker' ? ownedBy(fault, lines) : [...byPartition.keys()];
      const waits = partitions.map((partition) => longestWait(fault, byPartition.get(partition) ?? []));
      if (fault.kind === 'kill worker') return waits;
      return waits.length > 0 ? [Math.max(...waits)] : [];
    }),
  );
}

function longestWait({ at }: Fault, advances: readonly Advance[]): number {
  let longest = 0;
  for (const [index, advance] of advances.entries()) {
    const before = Math.max(at, advances[index - 1]?.at ?? at);
    if (advance.at <= at || before > at + BLAMED_MS) continue;
    longest = Math.max(longest, advance.at - before);
  }
  return longest;
}

/** Partitions whose last owner before the fault was the affected worker. */
function ownedBy({ whom, at }: Fault, lines: readonly LogLine[]): number[] {
  const owners = new Map<number, string>();
  for (const { at: taken, worker, fields } of takeoverLines(lines)) {
    if (taken < at) owners.set(Number(fields['partition']), worker);
  }
  return [...owners].flatMap(([partition, owner]) => (owner === whom ? [partition] : []));
}

function takeoverLines(lines: readonly LogLine[]): LogLine[] {
  return lines.filter(({ message }) => /^Partition \d+ recovered in/.test(message));
}

function distribution(values: readonly number[]): Distribution {
  const sorted = values.toSorted((a, b) => a - b);
  return { count: sorted.length, p50: sorted[sorted.length >> 1] ?? 0, max: sorted.at(-1) ?? 0 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
