import type { DetectorId } from '@loopwatch/contract';
import type { DetectorStats } from '@loopwatch/contract/api';
import { wasteOf } from './waste.ts';

/** Incidents of one detector, counted. */
interface DetectorRow {
  readonly detector: DetectorId;
  readonly found: number;
  readonly acknowledged: number;
  readonly falsePositives: number;
  readonly calls: number;
  /** null: no producer reports any. */
  readonly tokens: number | null;
  readonly usd: number | null;
  readonly unpriced: number;
}

/** What one detector found, and what people said of it. */
export function detectorStats(
  rows: readonly DetectorRow[],
  detector: DetectorId,
): Omit<DetectorStats, 'open'> {
  const own = rows.filter((row) => row.detector === detector);
  const sum = (count: (row: DetectorRow) => number): number => own.reduce((all, row) => all + count(row), 0);
  const acknowledged = sum((row) => row.acknowledged);
  const falsePositives = sum((row) => row.falsePositives);
  const judged = acknowledged + falsePositives;
  return {
    detector,
    acknowledged,
    falsePositives,
    incidents: sum((row) => row.found),
    falsePositiveRate: judged === 0 ? null : falsePositives / judged,
    wasted: wasteOf(own),
  };
}
