import type { DetectorId } from '@loopwatch/contract';
import type { DetectorStats, Stats } from '@loopwatch/contract/api';

/** The cost of a group of incidents; null: unknown for all of them. */
interface CostRow {
  readonly calls: number;
  readonly tokens: number | null;
  readonly usd: number | null;
  /** Incidents that report tokens of a model without a price. */
  readonly unpriced: number;
}

/** Incidents of one detector, counted by triage. */
export interface DetectorRow extends CostRow {
  readonly detector: DetectorId;
  readonly found: number;
  readonly acknowledged: number;
  readonly falsePositives: number;
}

/** Incidents, triage and cost of one detector. */
export function detectorStats(
  rows: readonly DetectorRow[],
  detector: DetectorId,
): Omit<DetectorStats, 'open'> {
  const own = rows.filter((row) => row.detector === detector);
  const sum = (count: (row: DetectorRow) => number): number => own.reduce((all, row) => all + count(row), 0);
  const acknowledged = sum((row) => row.acknowledged);
  const falsePositives = sum((row) => row.falsePositives);
  const triaged = acknowledged + falsePositives;
  return {
    detector,
    acknowledged,
    falsePositives,
    incidents: sum((row) => row.found),
    falsePositiveRate: triaged === 0 ? null : falsePositives / triaged,
    wasted: sumCosts(own),
  };
}

/** The cost of several groups of incidents. */
export function sumCosts(groups: readonly CostRow[]): Stats['wasted'] {
  return {
    calls: groups.reduce((sum, { calls }) => sum + calls, 0),
    tokens: sumKnown(groups.map(({ tokens }) => tokens)),
    usd: sumKnown(groups.map(({ usd }) => usd)),
    unpriced: groups.reduce((sum, { unpriced }) => sum + unpriced, 0),
  };
}

function sumKnown(amounts: readonly (number | null)[]): number | null {
  const known = amounts.flatMap((amount) => amount ?? []);
  return known.length === 0 ? null : known.reduce((sum, amount) => sum + amount, 0);
}
