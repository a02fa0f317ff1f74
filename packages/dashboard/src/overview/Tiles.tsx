import type { IncidentStats } from '@loopwatch/contract';
import type { Stats } from '@loopwatch/contract/api';
import type { ReactNode } from 'react';
import { detectorIds } from '../ui/detectors.ts';
import { formatCompact, formatDuration, formatNumber, plural } from '../ui/format.ts';
import { Sparkline } from '../ui/Sparkline.tsx';
import styles from './Tiles.module.css';

interface Props {
  /** Of now, as the live link tells. */
  readonly now: IncidentStats;
  readonly stats: Stats;
  /** Records that the server has not read yet; null where that is not known. */
  readonly lag: number | null;
}

/** The few numbers that matter, each with what it is made of. What nobody reports is said to be unknown. */
export function Tiles({ now, stats, lag }: Props) {
  const { buckets, latency, wasted } = stats;
  const found = buckets.map(({ incidents }) => sum(incidents));
  const total = found.reduce((all, count) => all + count, 0);
  const tokens = buckets.map((bucket) => bucket.wasted.tokens ?? 0);
  const calls = buckets.map((bucket) => bucket.wasted.calls);
  return (
    <section className={styles['tiles']} aria-label="Numbers">
      <Tile
        name="Open now"
        value={formatNumber(now.open)}
        hot={now.open > 0}
        note={
          now.open === 0
            ? 'no loop is going on'
            : `of ${plural(Object.keys(now.openByDetector).length, 'detector')}`
        }
        picture={<OpenBar stats={now} />}
      />
      <Tile
        name="Found"
        value={formatNumber(total)}
        note={`${formatNumber(now.resolved.recovered)} of all ${formatCompact(now.found)} recovered`}
        picture={<Sparkline values={found} text={`${plural(total, 'incident')} found in this time`} />}
      />
      <Tile
        name="Used by loops"
        value={wasted.tokens === null ? formatCompact(wasted.calls) : formatCompact(wasted.tokens)}
        unit={wasted.tokens === null ? (wasted.calls === 1 ? 'call' : 'calls') : 'tokens'}
        note={
          wasted.tokens === null ? 'no producer reports tokens' : `and ${plural(wasted.calls, 'tool call')}`
        }
        picture={
          <Sparkline
            color="--d-tool-cycle"
            values={wasted.tokens === null ? calls : tokens}
            text={`${wasted.tokens === null ? 'calls' : 'tokens'} used by loops over this time`}
          />
        }
      />
      <Tile
        name="Time to detect, p95"
        value={latency === null ? '–' : formatDuration(latency.p95Ms)}
        note={
          latency === null
            ? 'no event of this time is from now'
            : `half within ${formatDuration(latency.p50Ms)}`
        }
        picture={
          <Sparkline
            color="--d-thought-repeat"
            values={buckets.flatMap((bucket) => bucket.latency?.p95Ms ?? [])}
            text="time from event to verdict over this time"
          />
        }
      />
      <Tile
        name="Live sessions"
        value={formatNumber(stats.activeSessions)}
        note={
          lag === null
            ? 'lag not known yet'
            : lag === 0
              ? 'all records are read'
              : `${plural(lag, 'record')} behind`
        }
        picture={
          <Sparkline
            color="--d-semantic"
            values={buckets.map(({ activeSessions }) => activeSessions)}
            text="sessions with events over this time"
          />
        }
      />
    </section>
  );
}

function sum(counts: Readonly<Partial<Record<string, number>>>): number {
  return Object.values(counts).reduce((all: number, count) => all + (count ?? 0), 0);
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
  readonly note: ReactNode;
  readonly hot?: boolean;
  readonly picture: ReactNode;
}

function Tile({ name, value, unit, note, hot = false, picture }: TileProps) {
  return (
    <div className={styles['tile']} data-hot={hot || undefined}>
      <h2>{name}</h2>
      <p className={styles['value']}>
        {value}
        {unit !== undefined && <small> {unit}</small>}
      </p>
      <p className={styles['note']}>{note}</p>
      <div className={styles['picture']}>{picture}</div>
    </div>
  );
}

function OpenBar({ stats: { open, openByDetector } }: { readonly stats: IncidentStats }) {
  const parts = detectorIds.flatMap((id) => {
    const count = openByDetector[id];
    return count === undefined ? [] : [{ id, count }];
  });
  const text = parts.map(({ id, count }) => `${id} ${String(count)}`).join(', ');
  return (
    <div
      className={styles['bar']}
      role="img"
      aria-label={open === 0 ? 'none open' : `open by detector: ${text}`}
    >
      {parts.map(({ id, count }) => (
        <i key={id} data-detector={id} style={{ flexGrow: count }} title={`${id}: ${String(count)}`} />
      ))}
    </div>
  );
}
