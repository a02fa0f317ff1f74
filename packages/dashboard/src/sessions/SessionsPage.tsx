import { useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { errorText } from '../api/client.ts';
import { Blank } from '../ui/Blank.tsx';
import { Button } from '../ui/Button.tsx';
import { formatNumber } from '../ui/format.ts';
import { Ignored } from '../ui/Ignored.tsx';
import { Message } from '../ui/Message.tsx';
import { NothingYet } from '../ui/NothingYet.tsx';
import { Page } from '../ui/Page.tsx';
import { ListSkeleton } from '../ui/Skeleton.tsx';
import { TimeRangePicker } from '../ui/TimeRangePicker.tsx';
import { SessionFilters } from './SessionFilters.tsx';
import { SessionList } from './SessionList.tsx';
import { readSessionSearch, type SessionSearch, writeSessionSearch } from './search.ts';
import { useSessionList } from './use-session-list.ts';

/** Every agent conversation, the latest first, with the loops that were found in it. */
export function SessionsPage() {
  const raw = useSearch({ strict: false });
  const search = useMemo(() => readSessionSearch(raw), [raw]);
  const navigate = useNavigate();
  const change = (part: Partial<SessionSearch>) =>
    void navigate({ to: '/sessions', search: { ...writeSessionSearch({ ...search, ...part }) } });
  const { rows, total, error, retry, more } = useSessionList(search);
  return (
    <Page
      title="Sessions"
      note={rows !== undefined && `${formatNumber(total)}${isFiltered(search) ? ' match' : ' in all'}`}
      actions={<TimeRangePicker all range={search.range} onChange={(range) => change({ range })} />}
    >
      <SessionFilters search={search} onChange={change} />
      <Ignored parts={search.ignored} />
      {rows === undefined ? (
        error === null ? (
          <ListSkeleton what="the sessions" />
        ) : (
          <Blank>
            <Message
              title="Could not load the sessions"
              tone="hot"
              action={<Button onClick={retry}>Retry</Button>}
            >
              <p>{errorText(error)}</p>
            </Message>
          </Blank>
        )
      ) : rows.length === 0 ? (
        <Blank>
          {isFiltered(search) ? (
            <Message
              title="No session matches"
              action={
                <Button onClick={() => change({ filter: {}, range: { kind: 'all' } })}>Clear filters</Button>
              }
            >
              <p>There are sessions, but none with these filters in this time.</p>
            </Message>
          ) : (
            <NothingYet what="sessions" />
          )}
        </Blank>
      ) : (
        <SessionList rows={rows} total={total} onEnd={more} />
      )}
    </Page>
  );
}

function isFiltered({ filter, range }: SessionSearch): boolean {
  return Object.keys(filter).length > 0 || range.kind !== 'all';
}
