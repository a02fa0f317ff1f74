import { detectorIds, detectorKind } from '@loopwatch/contract';
import type { Overview } from '@loopwatch/contract/api';
import type { ReactNode } from 'react';
import { apartTexts } from '../incidents/apart.ts';
import {
  formatCompact,
  formatDuration,
  formatLag,
  formatNumber,
  formatRate,
  formatShare,
  formatStep,
  formatUsd,
  plural,
} from '../lib/format.ts';
import { Was } from '../page/Was.tsx';
import { Sparkline } from '../ui/charts/Sparkline.tsx';
import { loopFigure, per100, wasteFigure } from './rate.ts';

/** Key figures, each with a small chart. A figure that no producer reports is shown as unknown. */
export function Tiles({ overview }: { readonly overview: Overview }) {
  const { buckets, latency, wasted, open, openByDetector, found } = overview;
  const tokens = buckets.map((bucket) => bucket.wasted.tokens ?? 0);
  const calls = buckets.map((bucket) => bucket.wasted.calls);
  const looping = detectorIds.filter((id) => (openByDetector[id] ?? 0) > 0);
  const { rate } = overview;
  const loops = loopFigure(rate);
  const waste = wasteFigure(rate);
  const period = formatStep(overview.to - overview.from);
  return (
    <section
      className="grid grid-cols-6 gap-4 @max-[1100px]/page:grid-cols-3 @max-[1100px]/page:gap-3 @max-[520px]/page:grid-cols-2 @max-[520px]/page:gap-2"
      aria-label="Key figures"
    >
      <Tile
        name="Open now"
        value={formatNumber(open)}
        hot={open > 0}
        note={openNote(
          looping.map((id) => `${id} ${formatNumber(openByDetector[id] ?? 0)}`),
          overview.quiet,
        )}
        picture={<OpenBar open={open} openByDetector={openByDetector} />}
      />
      <Tile
        name="Detected"
        value={formatNumber(found)}
        unit={found === 1 ? 'loop' : 'loops'}
        note={foundNote(overview)}
        picture={
          <Sparkline
            values={buckets.map(({ incidents }) => sumLoops(incidents))}
            text={`${plural(found, 'loop')} detected in this time range`}
          />
        }
      />
      <Tile
        name="Loops per 100 sessions"
        value={loops.now === null ? '–' : formatRate(loops.now)}
        change={<Was figure={loops} format={formatRate} period={period} />}
        note={`among ${plural(rate.sessions, 'session')}`}
        picture={
          <Sparkline
            color="--color-hot"
            values={rate.steps.map((step) => per100(step) ?? 0)}
            text="loops per 100 active sessions in this time range"
          />
        }
      />
      <Tile
        name="Wasted"
        {...wasteText(wasted, waste.now)}
        change={<Was figure={waste} format={(share) => `${formatShare(share)} of spend`} period={period} />}
        picture={
          <Sparkline
            color="--d-tool-cycle"
            values={wasted.tokens === null ? calls : tokens}
            text={`${wasted.tokens === null ? 'calls' : 'tokens'} wasted by loops in this time range`}
          />
        }
      />
      <Tile
        name="Detection latency, p95"
        value={latency === null ? '–' : formatDuration(latency.p95Ms)}
        note={latency === null ? 'no data in this time range' : `p50 ${formatDuration(latency.p50Ms)}`}
        picture={<LatencyPicture overview={overview} />}
      />
      <Tile
        name="Live sessions"
        value={formatNumber(overview.liveSessions)}
        note={lagNote(overview)}
        picture={
          <Sparkline
            color="--d-semantic"
            values={buckets.map(({ activeSessions }) => activeSessions)}
            text="sessions with events in this time range"
          />
        }
      />
    </section>
  );
}

/** The amount in dollars if known, else tokens, else calls; the note has the other units. */
function wasteText(
  { calls, tokens, usd, unpriced }: Overview['wasted'],
  share: number | null,
): Pick<TileProps, 'value' | 'unit' | 'note'> {
  const others = plural(calls, 'tool call');
  if (tokens === null)
    return {
      value: formatCompact(calls),
      unit: calls === 1 ? 'call' : 'calls',
      note: 'token usage is not reported',
    };
  const left = unpriced === 0 ? '' : `${plural(unpriced, 'loop')} of unknown price; `;
  if (usd === null) return { value: formatCompact(tokens), unit: 'tokens', note: `${left}${others}` };
  const spent = share === null ? '' : `${formatShare(share)} of spend; `;
  return { value: formatUsd(usd), note: `${spent}${left}${formatCompact(tokens)} tokens, ${others}` };
}

function openNote(looping: readonly string[], quiet: number): string {
  const open = looping.length === 0 ? 'no session is looping' : looping.join(', ');
  return quiet === 0 ? open : `${open}; ${formatNumber(quiet)} quiet`;
}

function lagNote({ lag, readTo, asOf }: Overview): string {
  if (readTo !== null && asOf - readTo >= 1_000) return `${formatLag(asOf - readTo)} behind`;
  if (lag === null) return 'lag unknown';
  return lag === 0 ? 'up to date' : `${plural(lag, 'record')} behind`;
}

function foundNote({ found, recovered, limits, outages }: Overview): string {
  const own = recovered === 1 ? 'its own' : 'their own';
  const loops =
    found === 0 ? 'no loops in this time range' : `${formatNumber(recovered)} recovered on ${own}`;
  return [loops, ...apartTexts({ limits, outages })].join('; ');
}

function sumLoops(counts: Overview['buckets'][number]['incidents']): number {
  return detectorIds
    .filter((id) => detectorKind(id) === 'loop')
    .reduce((all, id) => all + (counts[id] ?? 0), 0);
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly unit?: string;
  readonly note: string;
  readonly hot?: boolean;
  /** How it compares with the period before. */
  readonly change?: ReactNode;
  readonly picture: ReactNode;
}

function Tile({ name, value, unit, note, hot = false, change, picture }: TileProps) {
  return (
    <div
      className="px-4 py-3 border grid grid-cols-[minmax(0,1fr)] grid-rows-[auto_auto_auto_1fr] min-w-0 bg-panel rounded-lg @max-[520px]/page:px-3 @max-[520px]/page:py-2 [&_h2]:truncate [&_h2]:text-sm [&_h2]:font-500 [&_h2]:text-ink2"
      data-hot={hot || undefined}
    >
      <h2>{name}</h2>
      <p className="text-2xl/[1.25] tabular-nums font-620 tracking-[-0.02em] in-data-hot:text-hot">
        {value}
        {unit !== undefined && (
          <small className="ml-0.75 text-base font-500 tracking-[0] text-ink2"> {unit}</small>
        )}
        {change}
      </p>
      <p className="text-sm text-ink3" title={note}>
        {note}
      </p>
      <div className="mt-2 self-end h-7.5">{picture}</div>
    </div>
  );
}

/** The p95 over time; with a single measured time, the p50 as a part of it. */
function LatencyPicture({ overview: { buckets, latency } }: { readonly overview: Overview }) {
  const values = buckets.flatMap((bucket) => bucket.latency?.p95Ms ?? []);
  if (values.length > 1)
    return (
      <Sparkline
        color="--d-thought-repeat"
        values={values}
        text="time from event to verdict in this time range"
      />
    );
  if (latency === null) return null;
  const share = `${String((100 * latency.p50Ms) / Math.max(1, latency.p95Ms))}%`;
  return (
    <div className="flex items-end h-full pb-1" aria-hidden="true">
      <i className="h-2 w-full rounded-[2px] bg-line2">
        <i className="block h-full rounded-[2px] bg-(--d-thought-repeat)" style={{ width: share }} />
      </i>
    </div>
  );
}

function OpenBar({ open, openByDetector }: Pick<Overview, 'open' | 'openByDetector'>) {
  const parts = detectorIds.flatMap((id) => {
    const count = openByDetector[id];
    return count === undefined ? [] : [{ id, count }];
  });
  const text = parts.map(({ id, count }) => `${id} ${String(count)}`).join(', ');
  return (
    <div
      className="pb-1 flex items-end gap-0.5 h-full"
      role="img"
      aria-label={open === 0 ? 'none open' : `open by detector: ${text}`}
    >
      {parts.map(({ id, count }) => (
        <i
          className="h-2.5 rounded-[2px] bg-detector min-w-0.75"
          key={id}
          data-detector={id}
          style={{ flexGrow: count }}
          title={`${id}: ${String(count)}`}
        />
      ))}
    </div>
  );
}
