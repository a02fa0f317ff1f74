import { detectorKind } from '@loopwatch/contract';
import type { Overview } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { formatCompact, formatNumber, formatShare, formatUsd } from '../lib/format.ts';
import { allTime, type TimeRange, writeRange } from '../lib/time-range.ts';
import { DetectorLabel } from '../ui/controls/Chip.tsx';
import { Card } from '../ui/layout/Card.tsx';

interface Props {
  readonly overview: Overview;
  readonly range: TimeRange;
}

/** Incidents, cost and false-positive rate of each detector. */
export function DetectorTable({ overview, range }: Props) {
  const rows = overview.detectors
    .filter(({ incidents, open }) => incidents > 0 || open > 0)
    .toSorted((a, b) => rankOf(a) - rankOf(b) || b.incidents - a.incidents);
  const max = Math.max(1, ...rows.map(({ incidents }) => incidents));
  const unit = overview.wasted.usd !== null ? 'usd' : overview.wasted.tokens !== null ? 'tokens' : 'calls';
  return (
    <Card title="By detector" flush>
      {rows.length === 0 ? (
        <p className="px-4 py-6 text-center text-ink2">No loops in this time range.</p>
      ) : (
        <table className="table mt-2 [&_th]:first:w-[40%] [&_td]:data-hot:text-hot [&_td]:data-hot:font-550 [--cell:8px] max-sm:[--cell:5px]">
          <thead>
            <tr>
              <th scope="col">Detector</th>
              <th scope="col">Detected</th>
              <th scope="col">{unitNames[unit]}</th>
              <th scope="col">Open</th>
              <th scope="col" title="Share of triaged incidents marked as false positives">
                False positives
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.detector}>
                <th scope="row">
                  <Link
                    className="hover:underline"
                    to="/incidents"
                    search={{ detector: row.detector, ...writeRange(range, allTime) }}
                    activeProps={{}}
                  >
                    <DetectorLabel detector={row.detector} />
                  </Link>
                  <i
                    className="mt-0.5 block h-1 rounded-full bg-(--hue) min-w-1"
                    data-detector={row.detector}
                    style={{ width: `${String((100 * row.incidents) / max)}%` }}
                  />
                </th>
                <td>{formatNumber(row.incidents)}</td>
                <td
                  title={
                    detectorKind(row.detector) === 'loop' ? undefined : 'No loop: nothing is wasted in it'
                  }
                >
                  {detectorKind(row.detector) === 'loop' ? wasted(row.wasted, unit) : '–'}
                </td>
                <td data-hot={row.open > 0 || undefined}>{formatNumber(row.open)}</td>
                <td
                  title={
                    row.falsePositiveRate === null
                      ? 'No triaged incidents yet'
                      : `${formatNumber(row.falsePositives)} of ${formatNumber(row.falsePositives + row.acknowledged)} triaged`
                  }
                >
                  {formatShare(row.falsePositiveRate)}
                  {row.falsePositiveRate !== null && (
                    <small className="text-ink3">
                      {' '}
                      of {formatNumber(row.falsePositives + row.acknowledged)}
                    </small>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Card>
  );
}

/** Loops come first. */
function rankOf({ detector }: Overview['detectors'][number]): number {
  return detectorKind(detector) === 'loop' ? 0 : 1;
}

type Unit = 'usd' | 'tokens' | 'calls';

const unitNames: Readonly<Record<Unit, string>> = { usd: 'Wasted', tokens: 'Tokens', calls: 'Calls' };

function wasted(used: Overview['wasted'], unit: Unit): string {
  const amount = used[unit];
  if (amount === null) return '–';
  return unit === 'usd' ? formatUsd(amount) : formatCompact(amount);
}
