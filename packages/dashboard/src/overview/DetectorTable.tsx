import type { Stats } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { Card } from '../ui/Card.tsx';
import { DetectorLabel } from '../ui/Chip.tsx';
import { formatCompact, formatNumber, formatShare } from '../ui/format.ts';
import { allTime, type TimeRange, writeRange } from '../ui/time-range.ts';
import styles from './DetectorTable.module.css';

/** What each detector found, what that used, and how often people said that it was wrong. */
export function DetectorTable({ stats, range }: { readonly stats: Stats; readonly range: TimeRange }) {
  const rows = stats.detectors
    .filter(({ incidents }) => incidents > 0)
    .toSorted((a, b) => b.incidents - a.incidents);
  const max = Math.max(1, ...rows.map(({ incidents }) => incidents));
  const tokens = stats.wasted.tokens !== null;
  return (
    <Card title="By detector" note="false positives: of those that were judged" flush>
      {rows.length === 0 ? (
        <p className={styles['nothing']}>Nothing was found in this time.</p>
      ) : (
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">Detector</th>
              <th scope="col">Found</th>
              <th scope="col">{tokens ? 'Tokens' : 'Calls'}</th>
              <th scope="col">False</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.detector}>
                <th scope="row">
                  <Link
                    to="/incidents"
                    search={{ detector: row.detector, ...writeRange(range, allTime) }}
                    activeProps={{}}
                  >
                    <DetectorLabel detector={row.detector} />
                  </Link>
                  <i
                    className={styles['bar']}
                    data-detector={row.detector}
                    style={{ width: `${String((100 * row.incidents) / max)}%` }}
                  />
                </th>
                <td>
                  {formatNumber(row.incidents)}
                  {row.open > 0 && <small>{row.open} open</small>}
                </td>
                <td>
                  {tokens
                    ? row.wasted.tokens === null
                      ? '–'
                      : formatCompact(row.wasted.tokens)
                    : formatCompact(row.wasted.calls)}
                </td>
                <td
                  title={`${String(row.falsePositives)} of ${String(row.falsePositives + row.acknowledged)} judged`}
                >
                  {formatShare(row.falsePositiveRate)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}
