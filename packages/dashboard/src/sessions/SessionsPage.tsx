import type { SessionItem } from '@loopwatch/contract/api';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { errorText } from '../api/client.ts';
import { sessionsQuery } from '../api/sessions.ts';
import { useKeys } from '../app/keys.ts';
import { omit } from '../app/omit.ts';
import { useLive } from '../live/context.ts';
import { Button } from '../ui/Button.tsx';
import { chipClass, DetectorSquare } from '../ui/Chip.tsx';
import { detectorIds } from '../ui/detectors.ts';
import { formatCompact, formatDuration, formatNumber, plural } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Menu, MenuItem } from '../ui/Menu.tsx';
import { Message } from '../ui/Message.tsx';
import { NothingYet } from '../ui/NothingYet.tsx';
import { Page } from '../ui/Page.tsx';
import rowLink from '../ui/RowLink.module.css';
import { Segments } from '../ui/Segments.tsx';
import { ListSkeleton } from '../ui/Skeleton.tsx';
import { Sparkline } from '../ui/Sparkline.tsx';
import { Ago } from '../ui/Time.tsx';
import { TimeRangePicker } from '../ui/TimeRangePicker.tsx';
import { useNarrow } from '../ui/use-narrow.ts';
import { useRows } from '../ui/use-rows.ts';
import { activityOf } from './activity.ts';
import { SessionState } from './SessionState.tsx';
import styles from './SessionsPage.module.css';
import { readSessionSearch, type SessionSearch, sessionSortNames, writeSessionSearch } from './search.ts';

/** Every agent conversation, the latest first, with the loops that were found in it. */
export function SessionsPage() {
  const raw = useSearch({ strict: false });
  const search = useMemo(() => readSessionSearch(raw), [raw]);
  const navigate = useNavigate();
  const change = (part: Partial<SessionSearch>) =>
    void navigate({ to: '/sessions', search: { ...writeSessionSearch({ ...search, ...part }) } });
  const query = useInfiniteQuery({ ...sessionsQuery(search), refetchInterval: 30_000 });
  const live = useLive((state) => state.sessions);
  const rows = useMemo(() => {
    const read = query.data?.pages.flatMap(({ items }) => items);
    return read?.map((item) => newer(live.get(item.sessionId), item));
  }, [query.data, live]);
  const total = query.data?.pages[0]?.total ?? 0;
  const { filter, sort } = search;

  // A session that nobody has read yet: the list is read again, at most every few seconds.
  const unknown = useMemo(() => {
    const known = new Set(rows?.map(({ sessionId }) => sessionId));
    return rows === undefined || sort !== '-lastEventAt'
      ? 0
      : [...live.values()].filter(
          ({ sessionId, lastEventAt }) => !known.has(sessionId) && lastEventAt > (rows[0]?.lastEventAt ?? 0),
        ).length;
  }, [rows, live, sort]);
  const { refetch } = query;
  useEffect(() => {
    if (unknown === 0) return;
    const timer = setTimeout(() => void refetch(), 1_000);
    return () => clearTimeout(timer);
  }, [unknown, refetch]);

  return (
    <Page
      title="Sessions"
      note={rows !== undefined && `${formatNumber(total)}${isFiltered(search) ? ' match' : ' in all'}`}
      actions={<TimeRangePicker all range={search.range} onChange={(range) => change({ range })} />}
    >
      <div className={styles['bar']} role="group" aria-label="Filters">
        <Search value={filter.q ?? ''} onChange={(q) => change({ filter: withText(filter, q) })} />
        <Segments
          label="Incidents"
          value={filter.incidents ?? 'all'}
          options={[
            { value: 'all', text: 'All' },
            { value: 'open', text: 'Looping now' },
            { value: 'any', text: 'With loops' },
            { value: 'none', text: 'Without' },
          ]}
          onChange={(value) => {
            const rest = omit(filter, 'incidents');
            change({ filter: value === 'all' ? rest : { ...rest, incidents: value } });
          }}
        />
        <Segments
          label="State"
          value={filter.state?.[0] ?? 'all'}
          options={[
            { value: 'all', text: 'Any state' },
            { value: 'live', text: 'Live' },
            { value: 'idle', text: 'Idle' },
            { value: 'ended', text: 'Ended' },
          ]}
          onChange={(value) => {
            const rest = omit(filter, 'state');
            change({ filter: value === 'all' ? rest : { ...rest, state: [value] } });
          }}
        />
        <span className={styles['grow']} />
        <Menu
          align="end"
          trigger={
            <Button>
              {sessionSortNames[sort]}
              <Icon name="down" size={12} />
            </Button>
          }
        >
          {Object.entries(sessionSortNames).map(([id, name]) => (
            <MenuItem
              key={id}
              onSelect={() => change({ sort: id })}
              note={id === sort && <Icon name="check" size={13} />}
            >
              {name}
            </MenuItem>
          ))}
        </Menu>
        <TextChips search={search} onChange={change} />
      </div>
      {search.ignored.length > 0 && (
        <p className={styles['ignored']} role="note">
          The address says {search.ignored.join(', ')}, which is unknown here; it was ignored.
        </p>
      )}
      {rows === undefined ? (
        query.error === null ? (
          <ListSkeleton what="the sessions" />
        ) : (
          <div className={styles['blank']}>
            <Message
              title="No answer from the server"
              tone="hot"
              action={<Button onClick={() => void refetch()}>Try again</Button>}
            >
              <p>{errorText(query.error)}</p>
            </Message>
          </div>
        )
      ) : rows.length === 0 ? (
        <div className={styles['blank']}>
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
        </div>
      ) : (
        <List
          rows={rows}
          total={total}
          onEnd={() => {
            if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage();
          }}
        />
      )}
    </Page>
  );
}

function newer(told: SessionItem | undefined, read: SessionItem): SessionItem {
  return told !== undefined && told.updatedAt >= read.updatedAt ? told : read;
}

function isFiltered({ filter, range }: SessionSearch): boolean {
  return Object.keys(filter).length > 0 || range.kind !== 'all';
}

function withText(filter: SessionSearch['filter'], q: string): SessionSearch['filter'] {
  const rest = omit(filter, 'q');
  return q === '' ? rest : { ...rest, q };
}

const PAUSE_MS = 250;

function Search({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useKeys({ search: () => input.current?.focus() });
  const latest = useRef(onChange);
  useEffect(() => {
    latest.current = onChange;
  });
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => latest.current(typed.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, value]);
  return (
    <div className={styles['search']} role="search">
      <Icon name="search" size={14} />
      <input
        ref={input}
        type="search"
        aria-label="Search sessions"
        placeholder="Session, agent, model or tenant"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </div>
  );
}

function TextChips({
  search,
  onChange,
}: {
  search: SessionSearch;
  onChange: (part: Partial<SessionSearch>) => void;
}) {
  const { filter } = search;
  const chips = (['agent', 'model', 'backend', 'tenant'] as const).flatMap((name) =>
    (filter[name] ?? []).map((value) => ({ name, value })),
  );
  if (chips.length === 0) return null;
  return (
    <div className={styles['chips']}>
      {chips.map(({ name, value }) => (
        <button
          key={name + value}
          type="button"
          className={chipClass}
          aria-pressed="true"
          aria-label={`${name} ${value}, remove this filter`}
          onClick={() => {
            const rest = filter[name]?.filter((other) => other !== value) ?? [];
            const others = omit(filter, name);
            onChange({ filter: rest.length === 0 ? others : { ...others, [name]: rest } });
          }}
        >
          <span>
            {name}: {value}
          </span>
          <Icon name="close" size={12} />
        </button>
      ))}
    </div>
  );
}

const ROW = 57;
/** Of a session's time, in its picture. */
const PARTS = 12;
const CARD = 92;

interface ListProps {
  readonly rows: readonly SessionItem[];
  readonly total: number;
  readonly onEnd: () => void;
}

function List({ rows, total, onEnd }: ListProps) {
  const list = useRef<HTMLOListElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const narrow = useNarrow(box, 720);
  const { items, height, margin, show } = useRows({
    keys: rows.map(({ sessionId }) => sessionId),
    rowHeight: narrow ? CARD : ROW,
    list,
    onEnd,
  });
  const [cursor, setCursor] = useState<number>();
  const wantFocus = useRef(false);
  const move = (step: number) => {
    wantFocus.current = true;
    setCursor((now) => (now === undefined ? 0 : Math.max(0, Math.min(rows.length - 1, now + step))));
  };
  useKeys({ next: () => move(1), previous: () => move(-1) });
  useEffect(() => {
    if (!wantFocus.current || cursor === undefined) return;
    const link = list.current?.querySelector<HTMLElement>(`[data-row="${String(cursor)}"] a`);
    if (link == null) show(cursor);
    else {
      wantFocus.current = false;
      link.focus({ preventScroll: true });
      link.scrollIntoView({ block: 'nearest' });
    }
  });
  return (
    <div ref={box} className={styles['list']} data-narrow={narrow || undefined}>
      {!narrow && (
        <div className={styles['columns']} aria-hidden="true">
          <span>Session</span>
          <span>Model</span>
          <span>Loops</span>
          <span>Activity</span>
          <span data-right>Turns, calls</span>
          <span data-right>Tokens</span>
          <span data-right>Last event</span>
          <span>State</span>
        </div>
      )}
      <ol ref={list} aria-label="Sessions" style={{ height }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <li
              key={row.sessionId}
              data-row={index}
              aria-setsize={total}
              aria-posinset={index + 1}
              className={styles['row']}
              style={{ transform: `translateY(${String(start - margin)}px)` }}
            >
              <div className={styles['name']}>
                <Link className={rowLink['link']} to="/sessions/$id" params={{ id: row.sessionId }}>
                  {row.sessionId}
                </Link>
                <small>{row.agent ?? 'agent not given'}</small>
              </div>
              <div className={styles['model']}>
                {row.model ?? 'model not given'}
                <small>{row.backend}</small>
              </div>
              <Loops row={row} />
              <div className={styles['activity']}>
                <Sparkline
                  values={activityOf(row, PARTS)}
                  text={`activity over ${formatDuration(Math.max(0, row.lastEventAt - row.startedAt))}`}
                />
              </div>
              <div className={styles['numbers']}>
                {plural(row.turns, 'turn')}
                <small>{plural(row.toolCalls, 'call')}</small>
              </div>
              <div className={styles['tokens']}>
                {row.tokens === null ? '–' : formatCompact(row.tokens.input + row.tokens.output)}
                <small>{plural(row.events, 'event')}</small>
              </div>
              <div className={styles['last']}>
                <Ago time={row.lastEventAt} />
                <small>over {formatDuration(Math.max(0, row.lastEventAt - row.startedAt))}</small>
              </div>
              <div className={styles['state']}>
                <SessionState state={row.state} />
              </div>
            </li>
          );
        })}
      </ol>
    </div>
  );
}

/** A square a detector, so that one sees at a glance what kind of trouble a session had. */
function Loops({ row: { incidents } }: { readonly row: SessionItem }) {
  if (incidents.total === 0) return <div className={styles['loops']}>none</div>;
  return (
    <div className={styles['loops']} data-open={incidents.open > 0 || undefined}>
      <span>
        {plural(incidents.total, 'loop')}
        {detectorIds.flatMap((id) => {
          const count = incidents.byDetector[id] ?? 0;
          return count === 0
            ? []
            : [
                <i key={id} title={`${id}: ${String(count)}`}>
                  <DetectorSquare detector={id} />
                </i>,
              ];
        })}
      </span>
      <small>{incidents.open > 0 ? `${String(incidents.open)} open` : 'all over'}</small>
    </div>
  );
}
