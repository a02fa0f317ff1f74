import { nextWeek, type WeeklyReport, weekRange } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { weeklyReportQuery } from '../api/reports.ts';
import { serverNow } from '../lib/clock.ts';
import { valueOf } from '../lib/search.ts';
import { Page } from '../page/Page.tsx';
import { ReportLinks } from '../page/ReportLinks.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { UnknownParams } from '../ui/feedback/UnknownParams.tsx';
import { ReportFigures } from './ReportFigures.tsx';
import { ExpensiveLoops, WorseAgents } from './ReportTables.tsx';

/** What happened in a week, compared with the week before: for people who do not watch the dashboard. */
export function ReportPage() {
  const asked = valueOf(useSearch({ strict: false }), 'week');
  const isWeek = asked === undefined || weekRange(asked) !== undefined;
  const query = useQuery(weeklyReportQuery(isWeek ? asked : undefined));
  const { data } = query;
  const link = () => {
    const url = new URL(window.location.href);
    if (data !== undefined) url.searchParams.set('week', data.week);
    return url.href;
  };
  return (
    <Page
      title="Weekly report"
      note={data && weekText(data)}
      actions={
        <>
          {data !== undefined && <Weeks week={data.week} />}
          <CopyButton what="link" text={link} />
          <Button onClick={() => window.print()}>Print</Button>
        </>
      }
    >
      <ReportLinks />
      <UnknownParams parts={isWeek ? [] : [`week=${asked}`]} />
      <Async query={query} what="the report" skeleton={<Skeleton height={420} what="the report" />}>
        {(report) => (
          <>
            <ReportFigures total={report.total} />
            <WorseAgents report={report} />
            <ExpensiveLoops report={report} />
          </>
        )}
      </Async>
    </Page>
  );
}

function Weeks({ week }: { readonly week: string }) {
  const next = nextWeek(week, 1);
  const hasNext = (weekRange(next)?.from ?? Infinity) <= serverNow();
  const className =
    'inline-flex min-h-8 items-center px-2 font-550 text-accent hover:underline print:hidden whitespace-nowrap';
  return (
    <>
      <Link className={className} to="/report" search={{ week: nextWeek(week, -1) }} activeProps={{}}>
        ← Week before
      </Link>
      {hasNext && (
        <Link className={className} to="/report" search={{ week: next }} activeProps={{}}>
          Week after →
        </Link>
      )}
    </>
  );
}

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** `2026-W48: Nov 23 to Nov 29, UTC` */
function weekText({ week, from, to }: WeeklyReport): string {
  const state = to > serverNow() ? ', not over yet' : '';
  return `${week}: ${day.format(from)} to ${day.format(to - 1)}, UTC${state}`;
}
