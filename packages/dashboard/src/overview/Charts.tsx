import { detectorIds, detectorKind } from '@loopwatch/contract';
import type { Overview } from '@loopwatch/contract/api';
import { useMemo } from 'react';
import { formatCompact, formatDuration, formatNumber, formatStep } from '../lib/format.ts';
import type { TimeRange } from '../lib/time-range.ts';
import { Chart } from '../ui/charts/Chart.tsx';
import type { ChartMark, Series } from '../ui/charts/chart-props.ts';
import { rangeText } from '../ui/controls/TimeRangePicker.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { deployText } from './DeployList.tsx';
import { ratesOf } from './rate.ts';

interface Props {
  readonly overview: Overview;
  readonly range: TimeRange;
  readonly onZoom: (from: number, to: number) => void;
}

/** Fewer points do not make a curve. */
const MIN_POINTS = 3;

function useTimes({ buckets }: Overview): readonly number[] {
  return useMemo(() => buckets.map(({ at }) => at), [buckets]);
}

/** Rows that are full, of cards of one height; their charts are at the bottom, so that the axes of time are on one line. */
const rowClass = 'flex flex-wrap gap-4 [&>*]:flex [&>*]:flex-col [&>*]:min-w-0 [&>*>:last-child]:mt-auto';

function useDeployMarks({ deploys }: Overview): readonly ChartMark[] {
  return useMemo(() => deploys.map((deploy) => ({ at: deploy.at, text: deployText(deploy) })), [deploys]);
}

/** Loops by detector over time, and how many there are for the sessions; limits and outages in a chart of their own. */
export function IncidentsFound(props: Props) {
  const { limits, outages } = props.overview;
  return (
    <div className={`${rowClass} [&>*]:flex-[1_1_300px] @max-[700px]/page:[&>*]:flex-[1_1_100%]`}>
      <Found {...props} title="Loops detected" noun="loops" loops height={190} />
      <RateChart {...props} />
      {limits + outages > 0 && (
        <Found {...props} title="Limits and outages" noun="limits" loops={false} height={190} />
      )}
    </div>
  );
}

function RateChart({ overview, range, onZoom }: Props) {
  const { to, rate } = overview;
  const { steps, stepMs } = rate;
  const marks = useDeployMarks(overview);
  const times = useMemo(() => steps.map(({ at }) => at), [steps]);
  const series = useMemo(
    (): Series[] => [
      { id: 'rate', name: 'loops per 100 sessions', color: '--color-hot', values: ratesOf(rate, to) },
    ],
    [rate, to],
  );
  return (
    <Card title="Loops per 100 sessions" note={`active in each ${formatStep(stepMs)}`}>
      <Chart
        times={times}
        series={series}
        marks={marks}
        onZoom={onZoom}
        kind="lines"
        format={formatCompact}
        height={190}
        text={`Loops per 100 active sessions, ${rangeText(range).toLowerCase()}${marksText(marks)}`}
      />
    </Card>
  );
}

function marksText(marks: readonly ChartMark[]): string {
  return marks.length === 0 ? '' : `; deploys: ${marks.map(({ text }) => text).join(', ')}`;
}

interface FoundProps extends Props {
  readonly title: string;
  readonly noun: string;
  readonly loops: boolean;
  readonly height: number;
}

function Found({ overview, range, onZoom, title, noun, loops, height }: FoundProps) {
  const { buckets, bucketMs } = overview;
  const times = useTimes(overview);
  const marks = useDeployMarks(overview);
  const series = useMemo(
    () =>
      detectorIds
        .filter((id) => (detectorKind(id) === 'loop') === loops)
        .filter((id) => buckets.some(({ incidents }) => (incidents[id] ?? 0) > 0))
        .map(
          (id): Series => ({
            id,
            name: id,
            color: `--d-${id}`,
            detector: id,
            values: buckets.map(({ incidents }) => incidents[id] ?? 0),
          }),
        ),
    [buckets, loops],
  );
  const sums = series.map(({ name, values }) => `${name} ${formatNumber(sum(values))}`);
  return (
    <Card title={title} note={`per ${formatStep(bucketMs)}; drag to zoom in`}>
      {series.length === 0 ? (
        <p className="grid place-items-center h-47.5 text-ink2">No {noun} in this time range.</p>
      ) : (
        <Chart
          times={times}
          series={series}
          onZoom={onZoom}
          marks={marks}
          kind="bars"
          format={formatCompact}
          height={height}
          text={`${title}, by detector, ${rangeText(range).toLowerCase()}: ${sums.join(', ')}${marksText(marks)}`}
        />
      )}
    </Card>
  );
}

/** Detection latency, active sessions, and what loops consume. */
export function CountCharts({ overview, range, onZoom }: Props) {
  const { buckets, bucketMs, wasted, latency } = overview;
  const times = useTimes(overview);
  const latencies = useMemo(
    (): Series[] => [
      {
        id: 'p50',
        name: 'p50',
        color: '--d-thought-repeat',
        values: buckets.map((bucket) => bucket.latency?.p50Ms ?? null),
      },
      {
        id: 'p95',
        name: 'p95',
        color: '--d-semantic',
        values: buckets.map((bucket) => bucket.latency?.p95Ms ?? null),
      },
    ],
    [buckets],
  );
  const sessions = useMemo(
    (): Series[] => [
      {
        id: 'sessions',
        name: 'sessions',
        color: '--color-accent',
        values: buckets.map(({ activeSessions }) => activeSessions),
      },
    ],
    [buckets],
  );
  const hasTokens = wasted.tokens !== null;
  const used = useMemo(
    (): Series[] => [
      {
        id: 'wasted',
        name: hasTokens ? 'tokens' : 'calls',
        color: '--d-tool-cycle',
        values: buckets.map((bucket) => (hasTokens ? (bucket.wasted.tokens ?? 0) : bucket.wasted.calls)),
      },
    ],
    [buckets, hasTokens],
  );
  const each = `per ${formatStep(bucketMs)}`;
  const time = rangeText(range).toLowerCase();
  const measured = buckets.filter((bucket) => bucket.latency !== null).length;
  const common = { times, onZoom, height: 150 };
  return (
    <div className={`${rowClass} [&>*]:flex-[1_1_260px] @max-[700px]/page:[&>*]:flex-[1_1_100%]`}>
      {latency !== null && measured >= MIN_POINTS && (
        <Card title="Detection latency" note="from the event to its verdict">
          <Chart
            {...common}
            kind="lines"
            series={latencies}
            format={formatDuration}
            height={124}
            text={`Detection latency, ${time}: p50 ${formatDuration(latency.p50Ms)}, p95 ${formatDuration(latency.p95Ms)}`}
          />
        </Card>
      )}
      <Card title="Active sessions" note={each}>
        <Chart
          {...common}
          kind="bars"
          series={sessions}
          format={formatCompact}
          text={`Sessions with events, ${time}; ${formatNumber(overview.liveSessions)} live now`}
        />
      </Card>
      <Card title={hasTokens ? 'Tokens wasted' : 'Calls wasted'} note={each}>
        <Chart
          {...common}
          kind="bars"
          series={used}
          format={formatCompact}
          text={`${hasTokens ? 'Tokens' : 'Tool calls'} wasted by loops, ${time}: ${formatNumber(wasted.tokens ?? wasted.calls)}`}
        />
      </Card>
    </div>
  );
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce((all: number, value) => all + (value ?? 0), 0);
}
