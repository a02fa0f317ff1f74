import type { Breakdown } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { breakdownQuery } from '../api/breakdown.ts';
import { formatNumber, formatPeriod } from '../lib/format.ts';
import { visibleText } from '../lib/visible-text.ts';
import { Download } from '../list/Download.tsx';
import { Page } from '../page/Page.tsx';
import { ReportLinks } from '../page/ReportLinks.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { CopyButton } from '../ui/controls/CopyButton.tsx';
import { TimeRangePicker } from '../ui/controls/TimeRangePicker.tsx';
import { Async } from '../ui/feedback/Async.tsx';
import { EmptyState } from '../ui/feedback/EmptyState.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { UnknownParams } from '../ui/feedback/UnknownParams.tsx';
import { Card } from '../ui/layout/Card.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { CompareTable } from './CompareTable.tsx';
import { compareRows, mostUsed, type Row, type Side, sideOf } from './measures.ts';
import { type CompareView, compareNames, readCompare, writeCompare } from './search.ts';

/** Two versions, models, agents, tenants or periods side by side. */
export function ComparePage() {
  const search = useSearch({ strict: false });
  const { ignored, ...view } = useMemo(() => readCompare(search), [search]);
  const { by, range } = view;
  const navigate = useNavigate();
  const query = useQuery(
    breakdownQuery({ groupBy: by === 'period' ? 'agent' : by, range, sort: '-sessions' }),
  );
  const change = (next: Partial<CompareView>) =>
    void navigate({ to: '/compare', search: writeCompare({ ...view, ...next }), resetScroll: false });
  return (
    <Page
      title="Compare"
      note="side by side, with 95% intervals"
      actions={
        <>
          <TimeRangePicker range={range} onChange={(next) => change({ range: next })} />
          <CopyButton what="link" text={() => window.location.href} />
          <Button onClick={() => window.print()}>Print</Button>
        </>
      }
    >
      <ReportLinks />
      <UnknownParams parts={ignored} />
      <div>
        <Segments
          label="Compare by"
          value={by}
          options={compareNames}
          onChange={(next) => change({ by: next, a: undefined, b: undefined })}
        />
      </div>
      <Async query={query} what="the comparison" skeleton={<Skeleton height={320} what="the comparison" />}>
        {(breakdown) => <Comparison breakdown={breakdown} view={view} onChange={change} />}
      </Async>
    </Page>
  );
}

interface Props {
  readonly breakdown: Breakdown;
  readonly view: CompareView;
  readonly onChange: (next: Partial<CompareView>) => void;
}

function Comparison({ breakdown, view, onChange }: Props) {
  const values = mostUsed(breakdown);
  const [a, b] = sidesOf(breakdown, view, values);
  const isPeriod = view.by === 'period';
  if (a === undefined || b === undefined) {
    return (
      <EmptyState>
        <Message title="Nothing to compare">
          <p>{missingText(view, values)}</p>
        </Message>
      </EmptyState>
    );
  }
  const rows = compareRows(a.amounts, b.amounts);
  return (
    <Card
      title={
        isPeriod ? 'The period before, and this one' : `${visibleText(a.name)} and ${visibleText(b.name)}`
      }
      flush
    >
      <div className="flex flex-wrap items-center gap-3 px-4 py-2 print:hidden">
        {!isPeriod && (
          <>
            <Choice label="First" value={a.name} values={values} onChange={(next) => onChange({ a: next })} />
            <Choice
              label="Second"
              value={b.name}
              values={values}
              onChange={(next) => onChange({ b: next })}
            />
          </>
        )}
        <span className="flex-1" />
        <SaveRows rows={rows} a={a} b={b} />
      </div>
      <CompareTable rows={rows} a={a.name} b={b.name} />
    </Card>
  );
}

/** The chosen sides; by default the two with the most sessions, the more used one first. */
function sidesOf(
  breakdown: Breakdown,
  { by, a, b }: CompareView,
  values: readonly string[],
): readonly [Side | undefined, Side | undefined] {
  const { total, previous, to } = breakdown;
  if (by === 'period') {
    return [
      previous === null || total.previous === undefined
        ? undefined
        : { name: formatPeriod(previous.from, previous.to), amounts: total.previous },
      { name: formatPeriod(breakdown.from, to), amounts: total },
    ];
  }
  const first = a ?? values.find((value) => value !== b);
  const second = b ?? values.find((value) => value !== first);
  return [sideOf(breakdown, first), sideOf(breakdown, second)];
}

function missingText({ by, a, b }: CompareView, values: readonly string[]): string {
  const unknown = [a, b].flatMap((name) =>
    name === undefined || values.includes(name) ? [] : visibleText(name),
  );
  if (unknown.length > 0) return `Not among the 50 most frequent in this time range: ${unknown.join(', ')}.`;
  if (by === 'period') return 'There is no period before this one.';
  const name = by === 'agentVersion' ? 'version' : by;
  return `The sessions in this time range have fewer than two ${name}s. Choose a longer range.`;
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, value, values, onChange }: ChoiceProps) {
  return (
    <label className="flex items-center gap-2 text-sm text-ink2">
      {label}
      <select className="field h-8 max-w-60" value={value} onChange={(event) => onChange(event.target.value)}>
        {values.map((one) => (
          <option key={one} value={one}>
            {visibleText(one)}
          </option>
        ))}
      </select>
    </label>
  );
}

function SaveRows({ rows, a, b }: { readonly rows: readonly Row[]; readonly a: Side; readonly b: Side }) {
  return (
    <Download
      name="compare"
      contents={`${visibleText(a.name)} and ${visibleText(b.name)}`}
      total={formatNumber(rows.length)}
      read={() => Promise.resolve([...rows])}
      columns={{
        measure: ({ name }) => name,
        first: () => a.name,
        first_value: (row) => row.a.value,
        first_interval: (row) => row.a.interval ?? null,
        second: () => b.name,
        second_value: (row) => row.b.value,
        second_interval: (row) => row.b.interval ?? null,
        difference: ({ difference }) => difference ?? null,
      }}
    />
  );
}
