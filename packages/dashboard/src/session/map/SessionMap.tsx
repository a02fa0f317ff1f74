import type { IncidentItem, SessionOutline } from '@loopwatch/contract/api';
import { useState } from 'react';
import { formatCompact, formatNumber, formatShare, formatTime, formatUsd } from '../../lib/format.ts';
import { loopsOn, type MapLoop, savedByStopping, usedUpTo } from './map-scale.ts';

interface Props {
  readonly outline: SessionOutline;
  /** Whether the session has other parts. */
  readonly isPart: boolean;
  readonly incidents: readonly IncidentItem[];
  /** Index of the current event. */
  readonly at: number | undefined;
  readonly onGo: (index: number) => void;
}

const WIDTH = 1_000;
const HEIGHT = 64;
/** Height of the calls below the line of costs. */
const CALLS = 18;
/** Height of a map without costs. */
const LOW = 24;

/** The whole session on one line: its calls, its loops, and what it has cost so far. A click shows the events there. */
export function SessionMap({ outline, isPart, incidents, at, onGo }: Props) {
  const [dragged, setDragged] = useState<number>();
  const { bins, events } = outline;
  const last = Math.max(1, events - 1);
  const loops = loopsOn(outline, incidents);
  const whole = usedUpTo(outline, events);
  const hasCosts = whole.usd > 0 || whole.tokens > 0;
  const top = hasCosts ? 0 : HEIGHT - LOW;
  const shown = dragged ?? at;
  const x = (index: number) => (WIDTH * Math.min(index, last)) / last;
  const commit = () => {
    if (dragged !== undefined) onGo(dragged);
    setDragged(undefined);
  };
  const current = shown === undefined ? undefined : usedUpTo(outline, shown);
  const time = bins.findLast(({ index }) => index <= (shown ?? 0))?.time;
  return (
    <div className="grid gap-1.5 min-w-0">
      <div
        className="relative h-16 data-low:h-6 rounded-md focus-within:outline-2 focus-within:outline-accent focus-within:outline-offset-2"
        data-low={!hasCosts || undefined}
      >
        <LoopStrips loops={loops} share={(index) => x(index) / WIDTH} />
        <svg
          className="relative block size-full overflow-visible"
          viewBox={`0 ${String(top)} ${String(WIDTH)} ${String(HEIGHT - top)}`}
          preserveAspectRatio="none"
          aria-hidden="true"
        >
          <Loops loops={loops} x={x} top={top} />
          <Calls bins={bins} events={events} x={x} />
          {hasCosts && <Costs outline={outline} loops={loops} x={x} whole={whole} />}
          {outline.matches.map(({ index }) => (
            <path key={index} d={`M${String(x(index))} ${String(top)}v8`} className="stroke-warm" {...thin} />
          ))}
          {shown !== undefined && (
            <path
              d={`M${String(x(shown))} ${String(top)}V${String(HEIGHT)}`}
              className="stroke-ink"
              {...thin}
            />
          )}
        </svg>
        <input
          type="range"
          className="absolute inset-0 m-0 size-full cursor-crosshair opacity-0"
          aria-label="Position in the session"
          aria-valuetext={
            shown === undefined
              ? 'none'
              : `event ${formatNumber(shown)}${time === undefined ? '' : `, ${formatTime(time)}`}`
          }
          min={0}
          max={last}
          value={shown ?? 0}
          onChange={(event) => setDragged(Number(event.target.value))}
          onPointerUp={commit}
          onKeyUp={commit}
        />
      </div>
      <p className="flex flex-wrap gap-x-4 text-xs text-ink3 tabular-nums">
        <span>{bins[0] !== undefined && formatTime(bins[0].time)}</span>
        <span className="flex-1" />
        {current !== undefined && shown !== undefined && (
          <span className="text-ink2">
            #{formatNumber(shown)}
            {hasCosts && `: ${amountOf(current, whole)} of ${amountOf(whole, whole)}`}
          </span>
        )}
        <span className="flex-1" />
        <span>{hasCosts ? amountOf(whole, whole) : 'no token counts'}</span>
      </p>
      <Saving outline={outline} isPart={isPart} loops={loops} />
    </div>
  );
}

const thin = { vectorEffect: 'non-scaling-stroke', strokeWidth: 1.5, fill: 'none' } as const;

interface LayerProps {
  readonly loops: readonly MapLoop[];
  readonly x: (index: number) => number;
}

/** The pattern of each loop's detector below the map. Not in its SVG, which is stretched. */
function LoopStrips({
  loops,
  share,
}: Pick<LayerProps, 'loops'> & { readonly share: (index: number) => number }) {
  return loops.map(({ incident, from, to }) => (
    <i
      key={incident.id}
      className="absolute bottom-0 h-1.5 min-w-1 bg-detector"
      data-detector={incident.detector}
      style={{ left: `${String(100 * share(from))}%`, width: `${String(100 * (share(to) - share(from)))}%` }}
    />
  ));
}

/** Each loop shaded from its beginning, and marked where it was reported. */
function Loops({ loops, x, top }: LayerProps & { readonly top: number }) {
  return loops.map(({ incident, from, alarm, to }) => {
    const width = String(Math.max(2, x(to) - x(from)));
    return (
      <g key={incident.id} data-detector={incident.detector}>
        <rect x={x(from)} y={top} width={width} height={HEIGHT - top} fill="var(--hue)" opacity={0.16} />
        <path
          d={`M${String(x(alarm))} ${String(top)}V${String(HEIGHT)}`}
          stroke="var(--hue)"
          strokeDasharray="3 3"
          {...thin}
        />
      </g>
    );
  });
}

function Calls({ bins, events, x }: Pick<SessionOutline, 'bins' | 'events'> & Pick<LayerProps, 'x'>) {
  const most = Math.max(1, ...bins.map(({ calls }) => calls));
  return bins.map(({ index, calls, failed }, i) => {
    const width = Math.max(1, x(bins[i + 1]?.index ?? events) - x(index) - 1);
    const height = (CALLS * calls) / most;
    const red = Math.min(height, (CALLS * failed) / most);
    return (
      <g key={index}>
        <rect x={x(index)} y={HEIGHT - height} width={width} height={height} className="fill-ink3/35" />
        <rect x={x(index)} y={HEIGHT - red} width={width} height={red} className="fill-hot/80" />
      </g>
    );
  });
}

/** What the session has cost so far, as a line; what its loops cost since their beginning is filled. */
function Costs({
  outline,
  loops,
  x,
  whole,
}: LayerProps & { readonly outline: SessionOutline; readonly whole: Used }) {
  const used = (index: number) => {
    const { usd, tokens } = usedUpTo(outline, index);
    return whole.usd > 0 ? usd / whole.usd : whole.tokens > 0 ? tokens / whole.tokens : 0;
  };
  const room = HEIGHT - 6;
  const point = (index: number) => `${x(index).toFixed(1)} ${(3 + room * (1 - used(index))).toFixed(1)}`;
  const edges = [...outline.bins.map(({ index }) => index), outline.events];
  return (
    <>
      {loops.map(({ incident, from, to }) => {
        const within = [from, ...edges.filter((index) => index > from && index < to), to];
        const base = (3 + room * (1 - used(from))).toFixed(1);
        return (
          <path
            key={incident.id}
            data-detector={incident.detector}
            d={`M${x(from).toFixed(1)} ${base}L${within.map(point).join('L')}V${base}Z`}
            fill="var(--hue)"
            opacity={0.45}
          />
        );
      })}
      <path d={`M${edges.map(point).join('L')}`} className="stroke-accent" {...thin} />
    </>
  );
}

type Used = ReturnType<typeof usedUpTo>;

/** In dollars where prices are known, else in tokens. */
function amountOf({ usd, tokens }: Used, whole: Used): string {
  if (whole.usd > 0) return formatUsd(usd);
  return `${formatCompact(Math.round(tokens))} tokens`;
}

/** What stopping at the first alarm would have saved. */
function Saving({
  outline,
  isPart,
  loops,
}: {
  readonly outline: SessionOutline;
  readonly isPart: boolean;
  readonly loops: readonly MapLoop[];
}) {
  const saved = savedByStopping(outline, loops);
  const whole = usedUpTo(outline, outline.events);
  const share = whole.usd > 0 ? saved.usd / whole.usd : saved.tokens / Math.max(1, whole.tokens);
  if (loops.length === 0 || (saved.usd === 0 && saved.tokens < 1)) return null;
  return (
    <p className="text-sm text-ink2">
      Stopping at the first alarm{loops.length > 1 && ' of each loop'} would have saved{' '}
      <b className="font-600 text-ink">{amountOf(saved, whole)}</b>,{' '}
      {share < 0.005 ? '<1%' : formatShare(share)} of the {isPart ? 'part' : 'session'}
      {outline.unpriced && whole.usd > 0 && '; some turns have no known price'}.
    </p>
  );
}
