import type { IncidentStats } from '@loopwatch/contract';
import type { ReactNode } from 'react';
import { detectorIds } from '../ui/detectors.ts';
import { formatCompact, formatDuration, formatNumber, plural } from '../ui/format.ts';
import { Clock } from '../ui/Time.tsx';
import styles from './Tiles.module.css';

/** The few numbers that matter, each with what it is made of. What nobody reports is said to be unknown. */
export function Tiles({ stats }: { readonly stats: IncidentStats }) {
  const { open, found, foundSince, resolved, calls, tokens, latency } = stats;
  const over = resolved.recovered + resolved.ended + resolved.disabled;
  return (
    <section className={styles['tiles']} aria-label="Numbers">
      <Tile
        name="Open now"
        value={formatNumber(open)}
        hot={open > 0}
        note={open === 0 ? 'no loop is going on' : openNote(stats)}
        picture={<OpenBar stats={stats} />}
      />
      <Tile
        name="Found"
        value={formatNumber(found)}
        note={
          foundSince === null ? (
            'none so far'
          ) : (
            <>
              since <Clock time={foundSince} />
            </>
          )
        }
        picture={<LastHour counts={stats.foundPerMinute} />}
      />
      <Tile
        name="Recovered"
        value={formatNumber(resolved.recovered)}
        note={`of ${plural(over, 'incident')} that ${over === 1 ? 'is' : 'are'} over`}
        picture={<Share part={resolved.recovered} whole={over} />}
      />
      <Tile
        name="Used by loops"
        value={tokens === null ? formatCompact(calls) : formatCompact(tokens)}
        unit={tokens === null ? (calls === 1 ? 'call' : 'calls') : 'tokens'}
        note={tokens === null ? 'no producer reports tokens' : `and ${plural(calls, 'tool call')}`}
      />
      <Tile
        name="Time to detect"
        value={latency === null ? '–' : formatDuration(latency.p50Ms)}
        note={
          latency === null ? 'events are not from now' : `median of ${plural(latency.incidents, 'incident')}`
        }
      />
    </section>
  );
}

function openNote({ openByDetector }: IncidentStats): string {
  const kinds = Object.keys(openByDetector).length;
  return `of ${plural(kinds, 'kind')}`;
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
  readonly note: ReactNode;
  readonly hot?: boolean;
  readonly picture?: ReactNode;
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
      {picture}
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

/** Minutes that one bar stands for. */
const BUCKET = 5;

function LastHour({ counts }: { readonly counts: readonly number[] }) {
  const sums = Array.from({ length: Math.ceil(counts.length / BUCKET) }, (_, bar) =>
    counts.slice(bar * BUCKET, (bar + 1) * BUCKET).reduce((sum, count) => sum + count, 0),
  );
  const max = Math.max(1, ...sums);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <svg
      className={styles['hour']}
      viewBox={`0 0 ${String(sums.length * 6)} 22`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${plural(total, 'incident')} in the last hour`}
    >
      {sums.map((count, index) => {
        const height = count === 0 ? 1.5 : 4 + (18 * count) / max;
        const key = index * BUCKET;
        return (
          <rect
            key={key}
            data-empty={count === 0 || undefined}
            x={index * 6}
            y={22 - height}
            width="4"
            height={height}
            rx="1"
          >
            <title>{`${String(count)} found, ${String(counts.length - key)} to ${String(counts.length - key - BUCKET)} min ago`}</title>
          </rect>
        );
      })}
    </svg>
  );
}

function Share({ part, whole }: { readonly part: number; readonly whole: number }) {
  return (
    <div className={styles['bar']} data-share aria-hidden="true">
      {part > 0 && <i style={{ flexGrow: part }} />}
      <u style={{ flexGrow: Math.max(whole - part, whole === 0 ? 1 : 0) }} />
    </div>
  );
}
