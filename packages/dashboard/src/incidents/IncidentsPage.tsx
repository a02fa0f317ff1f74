import type { IncidentItem } from '@loopwatch/contract/api';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { NoEventsYet } from '../connect/NoEventsYet.tsx';
import { IncidentView } from '../incident/IncidentView.tsx';
import { serverNow } from '../lib/clock.ts';
import { errorText } from '../lib/error-text.ts';
import { formatNumber, formatTotal, plural } from '../lib/format.ts';
import { useKeys } from '../lib/keys.ts';
import { usePreferences } from '../lib/preferences.ts';
import { ColumnChooser } from '../list/ColumnChooser.tsx';
import { chosenColumns } from '../list/column.ts';
import { ListWithDetails } from '../list/ListWithDetails.tsx';
import { SavedViews } from '../list/SavedViews.tsx';
import { useCursor } from '../list/use-cursor.ts';
import { useLive } from '../live/context.ts';
import { Page } from '../page/Page.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { TimeRangePicker } from '../ui/controls/TimeRangePicker.tsx';
import { EmptyState } from '../ui/feedback/EmptyState.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { ListSkeleton } from '../ui/feedback/Skeleton.tsx';
import { UnknownParams } from '../ui/feedback/UnknownParams.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { Announcement } from './Announcement.tsx';
import { columns } from './columns.tsx';
import { FilterBar } from './FilterBar.tsx';
import { GroupList } from './GroupList.tsx';
import { IncidentDownload } from './IncidentDownload.tsx';
import { IncidentList } from './IncidentList.tsx';
import { useCauseTriage } from './mutes/mute-cause.ts';
import { SelectionBar } from './SelectionBar.tsx';
import { type IncidentSearch, isFiltered, readIncidentSearch, writeIncidentSearch } from './search.ts';
import { useTriage } from './triage.ts';
import { useIncidentList } from './use-incident-list.ts';

/** The incidents, with the details of one beside them. */
export function IncidentsPage() {
  const raw = useSearch({ strict: false });
  const search = useMemo(() => readIncidentSearch(raw), [raw]);
  const navigate = useNavigate();
  const go = (part: Partial<IncidentSearch>, replace = true) =>
    void navigate({
      to: '/incidents',
      search: { ...writeIncidentSearch({ ...search, ...part }) },
      replace,
      resetScroll: false,
    });
  const change = (part: Partial<IncidentSearch>) => go(part, false);
  const [hovered, setHovered] = useState(false);
  const view = useMemo(
    () => ({ filter: search.filter, range: search.range, sort: search.sort }),
    [search.filter, search.range, search.sort],
  );
  const listView = search.grouped ? { ...view, sort: '-detectedAt' } : view;
  const list = useIncidentList(listView, hovered);
  const stats = useLive((state) => state.stats);
  return (
    <ListWithDetails
      peek={search.peek}
      label="Incident details"
      drawer={(id, alone) => (
        <IncidentView
          id={id}
          row={alone ? undefined : list.rows?.find((row) => row.id === id)}
          alone={alone}
          onClose={() => go({ peek: undefined })}
        />
      )}
    >
      <Page
        title="Incidents"
        note={
          list.rows !== undefined && (
            <span>
              {formatTotal(list)}
              {isFiltered(search) ? ' matching' : ' total'}
              {stats !== undefined && !isFiltered(search) && ` · ${formatNumber(stats.open)} open`}
            </span>
          )
        }
        actions={
          <>
            <TimeRangePicker all range={search.range} onChange={(range) => change({ range })} />
            <SavedViews list="incidents" search={writeIncidentSearch({ ...search, peek: undefined })} />
            {!search.grouped && <ColumnChooser list="incidents" columns={columns} />}
            <IncidentDownload view={listView} total={formatTotal(list)} />
            <Button
              onClick={() => list.setPaused(!list.paused)}
              aria-pressed={list.paused}
              tone={list.paused ? 'accent' : undefined}
              title="Pause live updates (P)"
            >
              <Icon name={list.paused ? 'play' : 'pause'} size={14} />
              {list.paused ? `Resume${list.waiting > 0 ? `, ${String(list.waiting)} new` : ''}` : 'Pause'}
            </Button>
          </>
        }
      >
        <Announcement found={stats?.found} open={stats?.open} />
        <FilterBar search={search} rows={list.rows ?? []} onChange={change} />
        <UnknownParams parts={search.ignored} />
        {list.skipped > 0 && !search.grouped && (
          <p className="toolbar px-3 py-1.5 rounded-md bg-warm-soft text-warm text-sm" role="status">
            {plural(list.skipped, 'change')} skipped to keep up; all are stored.{' '}
            <Button small onClick={list.reload}>
              Reload list
            </Button>
          </p>
        )}
        {!list.paused && hovered && list.waiting > 0 && (
          <p className="toolbar px-3 py-1.5 rounded-md text-sm bg-accent-soft text-accent" role="status">
            {plural(list.waiting, 'new incident')} hidden while the pointer is over the list
          </p>
        )}
        {search.grouped ? (
          <GroupList view={view} onSort={(sort) => change({ sort })} />
        ) : (
          <List search={search} list={list} go={go} change={change} onHover={setHovered} />
        )}
      </Page>
    </ListWithDetails>
  );
}

interface ListProps {
  readonly search: IncidentSearch;
  readonly list: ReturnType<typeof useIncidentList>;
  readonly go: (part: Partial<IncidentSearch>, replace?: boolean) => void;
  readonly change: (part: Partial<IncidentSearch>) => void;
  readonly onHover: (over: boolean) => void;
}

/** The list, or its loading, error, empty or no-match state. */
function List({ search, list, go, change, onHover }: ListProps) {
  const { rows } = list;
  const arrived = useLive((state) => state.arrived);
  const triage = useTriage();
  const cause = useCauseTriage();
  const shown = chosenColumns(
    columns,
    usePreferences(({ incidents }) => incidents.columns),
  );
  const { peek } = search;
  const cursor = useCursor({
    keys: rows?.map(({ id }) => id) ?? [],
    peek,
    onPeek: (id) => go({ peek: id }),
  });
  const { at } = cursor;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = (rows ?? []).filter(({ id }) => selected.has(id));
  const targets = chosen.length > 0 ? chosen : (rows ?? []).filter(({ id }) => id === at);

  const select = (id: string, range: boolean) => {
    const next = new Set(selected);
    const from = rows?.findIndex((row) => row.id === at) ?? -1;
    const to = rows?.findIndex((row) => row.id === id) ?? -1;
    const span = range && from >= 0 ? rows?.slice(Math.min(from, to), Math.max(from, to) + 1) : undefined;
    if (span !== undefined) for (const row of span) next.add(row.id);
    else if (!next.delete(id)) next.add(id);
    cursor.set(id);
    setSelected(next);
  };
  const judge = (items: readonly IncidentItem[], status: 'acknowledged' | 'false_positive', done: string) =>
    triage.change(items, { status }, done);
  useKeys({
    next: () => cursor.move(1),
    previous: () => cursor.move(-1),
    pause: () => list.setPaused(!list.paused),
    select: at === undefined ? undefined : () => select(at, false),
    close:
      peek !== undefined
        ? () => go({ peek: undefined })
        : selected.size > 0
          ? () => setSelected(new Set())
          : undefined,
    acknowledge: () => judge(targets, 'acknowledged', 'Acknowledged'),
    falsePositive: () => judge(targets, 'false_positive', 'Marked as a false positive'),
    mute: () =>
      triage.change(targets, { status: 'muted', mutedUntil: serverNow() + 3_600_000 }, 'Muted for an hour'),
    muteCause: () => {
      for (const group of new Set(targets.map(({ groupKey }) => groupKey))) cause.mute({ group });
    },
    undo: triage.undo,
  });

  if (rows === undefined) {
    if (list.error === null) return <ListSkeleton what="the incidents" />;
    return (
      <EmptyState>
        <Message
          title="Could not load the incidents"
          tone="hot"
          action={<Button onClick={list.retry}>Retry</Button>}
        >
          <p>{errorText(list.error)}</p>
        </Message>
      </EmptyState>
    );
  }
  if (rows.length === 0 && !isFiltered(search)) {
    return (
      <EmptyState>
        <NoEventsYet what="loops" />
      </EmptyState>
    );
  }
  if (rows.length === 0) {
    return (
      <EmptyState>
        <Message
          title="No matching incidents"
          action={
            <Button onClick={() => change({ filter: {}, range: { kind: 'all' } })}>Clear filters</Button>
          }
        >
          <p>No incidents match these filters in this time range.</p>
        </Message>
      </EmptyState>
    );
  }
  return (
    <>
      <IncidentList
        rows={rows}
        total={list.isLowerBound ? undefined : list.total}
        columns={shown}
        sort={search.sort}
        onSort={(sort) => change({ sort })}
        cursor={cursor}
        peek={peek}
        arrived={arrived}
        selected={selected}
        onSelect={select}
        onPeek={(id) => {
          cursor.set(id);
          go({ peek: id }, peek !== undefined);
        }}
        onEnd={list.more}
        onHover={onHover}
        more={list.moreState}
      />
      {selected.size > 0 && <SelectionBar items={chosen} onClear={() => setSelected(new Set())} />}
    </>
  );
}
