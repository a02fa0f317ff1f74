import 'uplot/dist/uPlot.min.css';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import { formatTime } from '../../lib/format.ts';
import { useTheme } from '../../lib/theme.ts';
import { detectorPatterns, patternTile } from '../lib/detector-patterns.ts';
import type { ChartMark, ChartProps, Series } from './chart-props.ts';
import { SeriesSquare } from './SeriesSquare.tsx';

/** Steps between grid lines: whole numbers, since counts have no fractions. */
const wholeSteps = Array.from({ length: 12 }, (_, power) =>
  [1, 2, 5].map((step) => step * 10 ** power),
).flat();

/** Steps between labels of the time axis, in seconds. */
const minutes = [1, 2, 5, 10, 15, 30].map((step) => step * 60);
const hours = [1, 2, 3, 6, 12].map((step) => step * 3_600);
const days = [1, 2, 5, 10, 30, 90, 365].map((step) => step * 86_400);
const timeSteps = [1, 5, 10, 30, ...minutes, ...hours, ...days];

const none: readonly ChartMark[] = [];

/** The charts of a page share a crosshair. */
const SYNC = 'charts';

/** Draws a chart on a canvas, with the colors of tokens.css. */
export default function Plot(props: ChartProps) {
  const { times, series, kind, format, height = 190, onZoom, marks = none } = props;
  const box = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const [width, setWidth] = useState(0);
  const [at, setAt] = useState<{ index: number; left: number }>();
  const zoom = useRef(onZoom);
  useEffect(() => {
    zoom.current = onZoom;
  });

  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    setWidth(current.clientWidth);
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const { current } = box;
    if (current === null || width === 0) return;
    const ink = color(current, '--color-ink3');
    const line = color(current, '--color-line');
    const data = toData(times, series, kind);
    const half = kind === 'bars' ? ((times[1] ?? 0) - (times[0] ?? 0)) / 2_000 : 0;
    const plot = new uPlot(
      {
        width,
        height,
        legend: { show: false },
        // Room for half of the last label on the right.
        padding: [8, 18, 0, 0],
        // Half a bar on both sides, so that the first and last bars are not cut off.
        scales: {
          x: { time: true, range: (_, min, max) => [min - half, max + half] },
          y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
        },
        cursor: {
          y: false,
          points: { show: kind === 'lines', size: 6 },
          drag: { x: true, y: false, setScale: false },
          sync: { key: SYNC },
        },
        axes: [
          {
            stroke: ink,
            font: '11px Inter Variable, sans-serif',
            grid: { show: false },
            ticks: { show: false },
            size: 20,
            space: 62,
            incrs: timeSteps,
            values: (_, ticks) => ticks.map((tick) => shortTime(tick * 1_000, times)),
          },
          {
            stroke: ink,
            font: '11px Inter Variable, sans-serif',
            grid: { stroke: line, width: 1 },
            ticks: { show: false },
            size: 46,
            space: 34,
            incrs: wholeSteps,
            values: (_, ticks) => ticks.map((tick) => format(tick)),
          },
        ],
        // The top of a stack is drawn first, the others over it.
        series: [
          {},
          ...series.toReversed().map((one): uPlot.Series => {
            const stroke = color(current, one.color, 'own');
            // A value between two gaps needs a point to be visible.
            if (kind === 'lines')
              return { stroke, width: 1.6, spanGaps: true, points: { show: true, size: 4, fill: stroke } };
            return {
              stroke,
              fill: fillOf(stroke, one, color(current, '--color-panel', 'own')),
              width: 0,
              points: { show: false },
              ...(uPlot.paths.bars !== undefined && { paths: uPlot.paths.bars({ size: [0.8, 22] }) }),
            };
          }),
        ],
        hooks: {
          draw: [(self) => drawMarks(self, marks, ink)],
          setCursor: [
            ({ cursor: { idx, left = 0 } }) =>
              setAt(idx == null || left < 0 ? undefined : { index: idx, left }),
          ],
          setSelect: [
            (self) => {
              const { left, width: wide } = self.select;
              if (wide < 6) return;
              const from = self.posToVal(left, 'x') * 1_000;
              const to = self.posToVal(left + wide, 'x') * 1_000;
              self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              zoom.current?.(Math.floor(from), Math.ceil(to));
            },
          ],
        },
      },
      data,
      current,
    );
    return () => plot.destroy();
    // `theme` is a dependency, since it changes the colors.
  }, [times, series, kind, width, height, theme, format, marks]);

  const time = at === undefined ? undefined : times[at.index];
  const step = (times[1] ?? 0) - (times[0] ?? 0);
  const near = marks.filter((mark) => time !== undefined && mark.at >= time && mark.at < time + step);
  return (
    <div ref={box} className="relative">
      {at !== undefined && time !== undefined && (
        <div
          className="px-2.25 py-1.25 border border-line2 absolute z-2 top-1 grid gap-px min-w-30 rounded-md bg-panel text-xs pointer-events-none"
          style={at.left > width / 2 ? { left: 54 } : { right: 6 }}
          aria-hidden="true"
        >
          <b className="font-550">{formatTime(time, times.at(-1) ?? time)}</b>
          {series.map((one) => {
            const value = one.values[at.index];
            if (value == null || (kind === 'bars' && value === 0)) return null;
            return (
              <span className="flex items-center gap-1.25 text-ink2" key={one.id}>
                <SeriesSquare series={one} />
                {one.name}
                <em className="pl-3 ml-auto not-italic text-ink">{format(value)}</em>
              </span>
            );
          })}
          {near.map((mark) => (
            <span key={`${mark.text} ${String(mark.at)}`} className="text-ink2">
              ▼ {mark.text}
            </span>
          ))}
        </div>
      )}
    </div>
  );
}

/** A dashed line over the height of the chart for each moment, with a triangle on top. */
function drawMarks(plot: uPlot, marks: readonly ChartMark[], ink: string): void {
  const { ctx, bbox } = plot;
  const size = 4 * devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([size, size]);
  for (const { at } of marks) {
    const x = Math.round(plot.valToPos(at / 1_000, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - size, bbox.top - size);
    ctx.lineTo(x + size, bbox.top - size);
    ctx.lineTo(x, bbox.top + size / 2);
    ctx.fill();
  }
  ctx.restore();
}

/** Times in seconds, and values; for bars the cumulative sums of the stack. */
function toData(
  times: readonly number[],
  series: ChartProps['series'],
  kind: ChartProps['kind'],
): uPlot.AlignedData {
  const seconds = times.map((time) => time / 1_000);
  if (kind === 'lines') return [seconds, ...series.toReversed().map(({ values }) => [...values])];
  const tops = new Array<number>(times.length).fill(0);
  const stacked = series.map(({ values }) =>
    times.map((_, index) => {
      const value = values[index] ?? 0;
      tops[index] = (tops[index] ?? 0) + value;
      // Under another bar of the same height, its edges would show.
      return value === 0 ? null : (tops[index] ?? 0);
    }),
  );
  return [seconds, ...stacked.toReversed()];
}

/**
 * Resolves a CSS variable to a color for the canvas.
 *
 * @param forced `own`: the same in forced colors, which else make all colors of text one
 */
function color(inside: HTMLElement, token: string, forced?: 'own'): string {
  const probe = document.createElement('i');
  if (forced === 'own') probe.className = 'forced-color-adjust-none';
  probe.style.color = `var(${token})`;
  inside.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** A color with the pattern of its detector in lines of the color behind it. */
function fillOf(hue: string, { detector }: Series, behind: string): string | CanvasPattern {
  const path = detector === undefined ? '' : detectorPatterns[detector];
  const scale = Math.max(1, Math.round(devicePixelRatio));
  const tile = document.createElement('canvas');
  tile.width = tile.height = patternTile.size * scale;
  const ctx = tile.getContext('2d');
  if (path === '' || ctx === null) return hue;
  ctx.fillStyle = hue;
  ctx.fillRect(0, 0, tile.width, tile.height);
  ctx.scale(scale, scale);
  ctx.strokeStyle = behind;
  ctx.globalAlpha = PATTERN_ALPHA;
  ctx.lineWidth = patternTile.line;
  ctx.lineCap = 'round';
  ctx.stroke(new Path2D(path));
  return ctx.createPattern(tile, 'repeat') ?? hue;
}

/** As much as the masks of CSS let through. */
const PATTERN_ALPHA = 0.75;
const DAY = 86_400_000;

function shortTime(time: number, times: readonly number[]): string {
  const span = (times.at(-1) ?? time) - (times[0] ?? time);
  const text = formatTime(time, span > 1.5 * DAY ? 0 : time);
  // Days for long ranges, else seconds only if not zero.
  if (span > 1.5 * DAY) return text.replace(/ \d{4}, .*$/, '');
  return text.endsWith(':00') ? text.slice(0, 5) : text;
}
