import type { DetectorId } from '@loopwatch/contract';
import type { Queryable } from '@loopwatch/storage';
import { cover } from './cover.ts';

interface Period {
  /** Epoch ms. */
  readonly from: number;
  readonly to: number;
}

/** How many incidents each detector found in a period. */
export function countByDetector(
  database: Queryable,
  { from, to }: Period,
): Promise<{ readonly detector: DetectorId; readonly found: number }[]> {
  const segments = cover(from, to);
  const select = segments.map(({ width }, index) => {
    const [first, end] = [`$${String(2 * index + 1)}::float8`, `$${String(2 * index + 2)}::float8`];
    return width === 0
      ? `select detector, 1 as found from incidents where detected_at >= ${first} and detected_at < ${end}`
      : `select detector, found from incident_sums where width = ${String(width)} and at >= ${first} and at < ${end}`;
  });
  return database.query(
    `select detector, sum(found)::float8 as found from (${select.join(' union all ')}) as segments group by 1`,
    segments.flatMap((segment) => [segment.from, segment.to]),
  );
}
