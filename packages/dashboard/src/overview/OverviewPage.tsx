import type { Stats } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { statsQuery } from '../api/stats.ts';
import { useLive } from '../live/context.ts';
import { Async } from '../ui/Async.tsx';
import { Blank } from '../ui/Blank.tsx';
import { Card } from '../ui/Card.tsx';
import { Chart } from '../ui/Chart.tsx';
import { detectorIds } from '../ui/detectors.ts';
import { GrafanaLink } from '../ui/Elsewhere.tsx';
import { grafanaTimes } from '../ui/elsewhere.ts';
import { formatCompact, formatDuration, formatNumber, formatStep } from '../ui/format.ts';
import { Ignored } from '../ui/Ignored.tsx';
import { NothingYet } from '../ui/NothingYet.tsx';
import { Page } from '../ui/Page.tsx';
import { Skeleton } from '../ui/Skeleton.tsx';
import { rangeText, TimeRangePicker } from '../ui/TimeRangePicker.tsx';
import { readRange, type TimeRange, writeRange } from '../ui/time-range.ts';
import { DetectorTable } from './DetectorTable.tsx';
import { LoopingNow } from './LoopingNow.tsx';
import styles from './OverviewPage.module.css';
import { Tiles } from './Tiles.tsx';

const standard: TimeRange = { kind: 'last', span: '6h' };

/** What loops now, how often, how fast it is noticed, and what it costs. */
export function OverviewPage() {
  const raw = useSearch({ strict: false });
  const { range, ignored } = useMemo(() => readRange(raw, standard), [raw]);
  const navigate = useNavigate();
  const query = useQuery(statsQuery(range));
  const live = useLive((state) => state.stats);
  const lag = useLive(({ heartbeat }) => heartbeat?.lag ?? null);
  const change = (next: TimeRange) => void navigate({ to: '/', search: { ...writeRange(next, standard) } });
  const found = live?.found ?? query.data?.current.found;
  return (
    <Page
      title="Overview"
      actions={
        <>
          <GrafanaLink {...grafanaTimes(range)} />
          <TimeRangePicker range={range} onChange={change} />
        </>
      }
    >
      <Ignored parts={ignored} />
      {found === 0 && (
        <Blank>
          <NothingYet what="loops" />
        </Blank>
      )}
      <Async
        query={query}
        what="the numbers"
        skeleton={
          <>
            <Skeleton height={142} what="the numbers" />
            <Skeleton height={290} what="the charts" />
          </>
        }
      >
        {(stats) => (
          <>
            <Tiles now={live ?? stats.current} stats={stats} lag={lag ?? stats.lag} />
            <Charts stats={stats} range={range} onZoom={(from, to) => change({ kind: 'fixed', from, to })}>
              <div className={styles['row']}>
                <LoopingNow />
                <DetectorTable stats={stats} range={range} />
              </div>
            </Charts>
          </>
        )}
      </Async>
    </Page>
  );
}

interface ChartsProps {
  readonly stats: Stats;
  readonly range: TimeRange;
  readonly onZoom: (from: number, to: number) => void;
  /** Between the charts that matter most and the others. */
  readonly children: ReactNode;
}

function Charts({ stats, range, onZoom, children }: ChartsProps) {
  const { buckets, bucketMs } = stats;
  const times = useMemo(() => buckets.map(({ at }) => at), [buckets]);
  const found = useMemo(
    () =>
      detectorIds
        .filter((id) => buckets.some(({ incidents }) => (incidents[id] ?? 0) > 0))
        .map((id) => ({
          id,
          name: id,
          color: `--d-${id}`,
          values: buckets.map(({ incidents }) => incidents[id] ?? 0),
        })),
    [buckets],
  );
  const latency = useMemo(
    () => [
      {
        id: 'p50',
        name: 'half within',
        color: '--d-thought-repeat',
        values: buckets.map((bucket) => bucket.latency?.p50Ms ?? null),
      },
      {
        id: 'p95',
        name: '95 % within',
        color: '--d-semantic',
        values: buckets.map((bucket) => bucket.latency?.p95Ms ?? null),
      },
    ],
    [buckets],
  );
  const sessions = useMemo(
    () => [
      {
        id: 'sessions',
        name: 'sessions',
        color: '--accent',
        values: buckets.map(({ activeSessions }) => activeSessions),
      },
    ],
    [buckets],
  );
  const hasTokens = stats.wasted.tokens !== null;
  const wasted = useMemo(
    () => [
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
  const common = { times, onZoom };
  return (
    <div className={styles['charts']}>
      <Card title="Loops found" note={`${each}; drag over it to look closer`}>
        {found.length === 0 ? (
          <p className={styles['nothing']}>No loop was found in this time.</p>
        ) : (
          <Chart
            {...common}
            kind="bars"
            series={found}
            format={formatCompact}
            height={180}
            text={`Loops found by detector, ${time}: ${found.map(({ name, values }) => `${name} ${formatNumber(values.reduce((a, b) => a + b, 0))}`).join(', ')}`}
          />
        )}
      </Card>
      <Card title="From event to verdict" note="without recordings">
        {stats.latency === null ? (
          <p className={styles['nothing']}>No event of this time was from now, so nothing was measured.</p>
        ) : (
          <Chart
            {...common}
            kind="lines"
            series={latency}
            format={formatDuration}
            height={180}
            text={`Time from event to verdict, ${time}: half within ${formatDuration(stats.latency.p50Ms)}, 95 % within ${formatDuration(stats.latency.p95Ms)}`}
          />
        )}
      </Card>
      {children}
      <Card title="Active sessions" note={each}>
        <Chart
          {...common}
          kind="bars"
          series={sessions}
          format={formatCompact}
          height={150}
          text={`Sessions with events, ${time}; ${formatNumber(stats.activeSessions)} live now`}
        />
      </Card>
      <Card title={hasTokens ? 'Tokens used by loops' : 'Calls used by loops'} note={each}>
        <Chart
          {...common}
          kind="bars"
          series={wasted}
          format={formatCompact}
          height={150}
          text={`${hasTokens ? 'Tokens' : 'Tool calls'} used by loops, ${time}: ${formatNumber(stats.wasted.tokens ?? stats.wasted.calls)}`}
        />
      </Card>
    </div>
  );
}
