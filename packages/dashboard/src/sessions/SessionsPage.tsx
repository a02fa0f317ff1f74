import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { allSessions } from '../api/sessions.ts';
import { NoEventsYet } from '../connect/NoEventsYet.tsx';
import { errorText } from '../lib/error-text.ts';
import { formatTotal } from '../lib/format.ts';
import { useKeys } from '../lib/keys.ts';
import { usePreferences } from '../lib/preferences.ts';
import { ColumnChooser } from '../list/ColumnChooser.tsx';
import { chosenColumns } from '../list/column.ts';
import { Download } from '../list/Download.tsx';
import { ListWithDetails } from '../list/ListWithDetails.tsx';
import { SavedViews } from '../list/SavedViews.tsx';
import { useCursor } from '../list/use-cursor.ts';
import { Page } from '../page/Page.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { TimeRangePicker } from '../ui/controls/TimeRangePicker.tsx';
import { EmptyState } from '../ui/feedback/EmptyState.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { ListSkeleton } from '../ui/feedback/Skeleton.tsx';
import { UnknownParams } from '../ui/feedback/UnknownParams.tsx';
import { columns } from './columns.tsx';
import { csvColumns } from './csv-columns.ts';
import { SessionFilters } from './SessionFilters.tsx';
import { SessionList } from './SessionList.tsx';
import { SessionPeek } from './SessionPeek.tsx';
import { readSessionSearch, type SessionSearch, writeSessionSearch } from './search.ts';
import { useSessionList } from './use-session-list.ts';

/** All sessions with their loops. */
export function SessionsPage() {
  const raw = useSearch({ strict: false });
  const search = useMemo(() => readSessionSearch(raw), [raw]);
  const navigate = useNavigate();
  const go = (part: Partial<SessionSearch>, replace: boolean) =>
    void navigate({
      to: '/sessions',
      search: { ...writeSessionSearch({ ...search, ...part }) },
      replace,
      resetScroll: false,
    });
  const change = (part: Partial<SessionSearch>) => go(part, false);
  const { filter, range, sort, peek } = search;
  const view = useMemo(() => ({ filter, range, sort }), [filter, range, sort]);
  const { rows, total, isLowerBound, error, retry, more } = useSessionList(view);
  const totalText = formatTotal({ total, isLowerBound });
  const shown = chosenColumns(
    columns,
    usePreferences(({ sessions }) => sessions.columns),
  );
  const cursor = useCursor({
    keys: rows?.map(({ sessionId }) => sessionId) ?? [],
    peek,
    onPeek: (id) => go({ peek: id }, true),
  });
  const close = () => go({ peek: undefined }, true);
  useKeys({
    next: () => cursor.move(1),
    previous: () => cursor.move(-1),
    close: peek === undefined ? undefined : close,
  });
  return (
    <ListWithDetails
      peek={peek}
      label="Session details"
      drawer={(id, alone) => <SessionPeek id={id} alone={alone} onClose={close} />}
    >
      <Page
        title="Sessions"
        note={rows !== undefined && `${totalText}${isFiltered(search) ? ' matching' : ' total'}`}
        actions={
          <>
            <TimeRangePicker all range={range} onChange={(next) => change({ range: next })} />
            <SavedViews list="sessions" search={writeSessionSearch({ ...search, peek: undefined })} />
            <ColumnChooser list="sessions" columns={columns} />
            <Download
              name="sessions"
              contents={`${totalText} sessions with their metrics, without events`}
              total={totalText}
              read={(onPage, signal) => allSessions(view, onPage, signal)}
              columns={csvColumns}
            />
          </>
        }
      >
        <SessionFilters search={search} rows={rows ?? []} onChange={change} />
        <UnknownParams parts={search.ignored} />
        {rows === undefined ? (
          error === null ? (
            <ListSkeleton what="the sessions" />
          ) : (
            <EmptyState>
              <Message
                title="Could not load the sessions"
                tone="hot"
                action={<Button onClick={retry}>Retry</Button>}
              >
                <p>{errorText(error)}</p>
              </Message>
            </EmptyState>
          )
        ) : rows.length === 0 ? (
          <EmptyState>
            {isFiltered(search) ? (
              <Message
                title="No matching sessions"
                action={
                  <Button onClick={() => change({ filter: {}, range: { kind: 'all' } })}>
                    Clear filters
                  </Button>
                }
              >
                <p>No sessions match these filters in this time range.</p>
              </Message>
            ) : (
              <NoEventsYet what="sessions" />
            )}
          </EmptyState>
        ) : (
          <SessionList
            rows={rows}
            total={isLowerBound ? undefined : total}
            columns={shown}
            sort={sort}
            onSort={(by) => change({ sort: by })}
            cursor={cursor}
            peek={peek}
            onPeek={(id) => {
              cursor.set(id);
              go({ peek: id }, peek !== undefined);
            }}
            onEnd={more}
          />
        )}
      </Page>
    </ListWithDetails>
  );
}

function isFiltered({ filter, range }: SessionSearch): boolean {
  return Object.keys(filter).length > 0 || range.kind !== 'all';
}
