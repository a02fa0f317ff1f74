import type { Overview } from '@loopwatch/contract/api';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { BudgetsCard } from '../budgets/BudgetsCard.tsx';
import { loadCode } from '../lib/load-code.ts';
import { readRange, type Span, spans, type TimeRange, writeRange } from '../lib/time-range.ts';
import { GrafanaLink } from '../page/ExternalLinks.tsx';
import { Page } from '../page/Page.tsx';
import { grafanaTimes } from '../page/record-links.ts';
import { TimeRangePicker } from '../ui/controls/TimeRangePicker.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { EmptyState } from '../ui/feedback/EmptyState.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { UnknownParams } from '../ui/feedback/UnknownParams.tsx';
import { CountCharts, IncidentsFound } from './Charts.tsx';
import { DeployList } from './DeployList.tsx';
import { DetectorTable } from './DetectorTable.tsx';
import { JudgeNote } from './JudgeNote.tsx';
import { LoopingNow } from './LoopingNow.tsx';
import { Tiles } from './Tiles.tsx';
import { useOverview } from './use-overview.ts';

/** Only servers without data need it. */
const NoEventsYet = lazy(async () => ({
  default: (await loadCode(() => import('../connect/NoEventsYet.tsx'))).NoEventsYet,
}));

/** Open loops, their frequency, detection latency and cost, all from one consistent read. */
export function OverviewPage() {
  const raw = useSearch({ strict: false });
  const { range: chosen, ignored } = useMemo(() => readRange(raw, undefined), [raw]);
  const navigate = useNavigate();
  const query = useOverview(chosen);
  const range = chosen ?? rangeOf(query.data);
  const change = (next: TimeRange) => void navigate({ to: '/', search: { ...writeRange(next, undefined) } });
  return (
    <Page
      title="Overview"
      actions={
        <>
          <Link
            className="text-sm/[1.5] inline-flex items-center gap-1 min-h-6 text-accent font-sans font-550 whitespace-nowrap hover:underline"
            to="/breakdown"
            search={chosen === undefined ? {} : writeRange(chosen, undefined)}
          >
            Compare agents
          </Link>
          <GrafanaLink {...grafanaTimes(range)} />
          <TimeRangePicker range={range} onChange={change} />
        </>
      }
    >
      <UnknownParams parts={ignored} />
      <Async
        query={query}
        what="the overview"
        skeleton={
          <>
            <Skeleton height={160} what="the key figures" />
            <Skeleton height={290} what="the charts" />
          </>
        }
      >
        {(overview) =>
          overview.firstAt === null ? (
            <EmptyState>
              <Suspense>
                <NoEventsYet what="loops" />
              </Suspense>
            </EmptyState>
          ) : (
            <>
              <JudgeNote />
              <Tiles overview={overview} />
              <LoopingNow overview={overview} />
              <BudgetsCard />
              <IncidentsFound
                overview={overview}
                range={range}
                onZoom={(from, to) => change({ kind: 'fixed', from, to })}
              />
              <DeployList overview={overview} range={range} />
              <DetectorTable overview={overview} range={range} />
              <CountCharts
                overview={overview}
                range={range}
                onZoom={(from, to) => change({ kind: 'fixed', from, to })}
              />
            </>
          )
        }
      </Async>
    </Page>
  );
}

/** The range that the server picked from the data it has. */
function rangeOf(overview: Overview | undefined): TimeRange {
  const length = overview === undefined ? 0 : overview.to - overview.from;
  const span = (Object.keys(spans) as Span[]).find((name) => spans[name].ms === length);
  return { kind: 'last', span: span ?? '6h' };
}
