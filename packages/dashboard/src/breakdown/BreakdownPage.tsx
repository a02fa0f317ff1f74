import type { Breakdown, BreakdownDimension } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type SubmitEvent, useMemo } from 'react';
import { type BreakdownView, breakdownQuery } from '../api/breakdown.ts';
import { apartTexts } from '../incidents/apart.ts';
import { formatNumber, formatPeriod, plural } from '../lib/format.ts';
import { Download } from '../list/Download.tsx';
import { Page } from '../page/Page.tsx';
import { ReportLinks } from '../page/ReportLinks.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { SortMenu } from '../ui/controls/SortMenu.tsx';
import { TimeRangePicker } from '../ui/controls/TimeRangePicker.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { EmptyState } from '../ui/feedback/EmptyState.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { UnknownParams } from '../ui/feedback/UnknownParams.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { csvColumns } from './csv-columns.ts';
import { GroupTable } from './GroupTable.tsx';
import { dimensionNames, dimensionText, readBreakdown, sortNames, writeBreakdown } from './search.ts';

/** Loops by agent, model or tool, compared with the previous period. */
export function BreakdownPage() {
  const search = useSearch({ strict: false });
  const { ignored, ...view } = useMemo(() => readBreakdown(search), [search]);
  const navigate = useNavigate();
  const query = useQuery(breakdownQuery(view));
  const change = (next: Partial<BreakdownView>) =>
    void navigate({ to: '/breakdown', search: writeBreakdown({ ...view, ...next }) });
  return (
    <Page
      title="Breakdown"
      note="of loops, compared with the previous period"
      actions={
        <>
          <SortMenu names={sortNames} sort={view.sort} onChange={(sort) => change({ sort })} />
          <TimeRangePicker range={view.range} onChange={(range) => change({ range })} />
          <CopyButton what="link" text={() => window.location.href} />
          <Button onClick={() => window.print()}>Print</Button>
          {query.data !== undefined && <SaveGroups breakdown={query.data} />}
        </>
      }
    >
      <ReportLinks />
      <UnknownParams parts={ignored} />
      <Dimensions groupBy={view.groupBy} onChange={(groupBy) => change({ groupBy })} />
      <Async query={query} what="the breakdown" skeleton={<Skeleton height={420} what="the breakdown" />}>
        {(breakdown) =>
          breakdown.groups.length === 0 ? (
            <EmptyState>
              <Message title="No results">
                <p>No sessions with loops in this time range or the previous one.</p>
              </Message>
            </EmptyState>
          ) : (
            <Card title={`By ${dimensionText(view.groupBy)}`} note={noteOf(breakdown)} flush>
              <GroupTable breakdown={breakdown} view={view} onSort={(sort) => change({ sort })} />
            </Card>
          )
        }
      </Async>
    </Page>
  );
}

function noteOf({ previous, total, apart }: Breakdown): string {
  const others = apartTexts(apart);
  return [
    ...(previous === null ? [] : [`compared with ${formatPeriod(previous.from, previous.to)}`]),
    ...(total.unpriced === 0 ? [] : [`cost without ${plural(total.unpriced, 'loop')} of unknown price`]),
    ...(total.activity.unpriced === 0
      ? []
      : [`spend without ${plural(total.activity.unpriced, 'session')} of unknown price`]),
    ...(others.length === 0 ? [] : [`not counted: ${others.join(' and ')}`]),
  ].join('; ');
}

interface DimensionsProps {
  readonly groupBy: BreakdownDimension;
  readonly onChange: (groupBy: BreakdownDimension) => void;
}

/** Chooses the dimension: a fixed one, or a tag by name. */
function Dimensions({ groupBy, onChange }: DimensionsProps) {
  const tag = groupBy.startsWith('tag:') ? groupBy.slice('tag:'.length) : '';
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = new FormData(event.currentTarget).get('tag');
    if (typeof name === 'string' && name.trim() !== '') onChange(`tag:${name.trim()}`);
  };
  return (
    <div className="flex flex-wrap items-center gap-3 print:hidden [&>:first-child]:flex-wrap [&>:first-child]:h-auto">
      <Segments<BreakdownDimension>
        label="Group by"
        value={groupBy}
        options={Object.entries(dimensionNames).map(([value, text]) => ({
          value: value as keyof typeof dimensionNames,
          text,
        }))}
        onChange={onChange}
      />
      <form onSubmit={submit} className="flex gap-2" key={tag}>
        <input
          name="tag"
          className="field w-27.5 h-6.5 rounded-sm bg-panel"
          aria-label="Tag name"
          placeholder="tag"
          defaultValue={tag}
          maxLength={200}
        />
        <Button type="submit" small>
          Group by tag
        </Button>
      </form>
    </div>
  );
}

function SaveGroups({ breakdown: { groups } }: { readonly breakdown: Breakdown }) {
  return (
    <Download
      name="breakdown"
      contents={`${plural(groups.length, 'group')}, with the previous period`}
      total={formatNumber(groups.length)}
      read={() => Promise.resolve([...groups])}
      columns={csvColumns}
    />
  );
}
