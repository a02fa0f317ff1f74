import type { IncidentRow } from '@loopwatch/contract';
import { use, useEffect, useRef } from 'react';
import { ErrorBoundary } from '../app/ErrorBoundary.tsx';
import { useKeys } from '../app/keys.ts';
import { close, navigate } from '../app/location.ts';
import { IncidentPane } from '../incident/IncidentPane.tsx';
import { LiveContext, useLive } from '../live/context.ts';
import { Button } from '../ui/Button.tsx';
import { plural } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Message } from '../ui/Message.tsx';
import { Announcement } from './Announcement.tsx';
import { FilterBar } from './FilterBar.tsx';
import { IncidentList } from './IncidentList.tsx';
import styles from './IncidentsPage.module.css';
import { ListSkeleton, NothingYet } from './placeholders.tsx';
import { Tiles } from './Tiles.tsx';
import { type Filters, incidentPath, listPath, matchesFilters } from './url.ts';
import { useOlder } from './use-older.ts';
import { usePause } from './use-pause.ts';

interface Props {
  readonly filters: Filters;
  /** What the address had besides, that means nothing here. */
  readonly ignored: readonly string[];
  readonly selected: string | undefined;
}

/** The newest incidents, and beside them the one that is open. */
export function IncidentsPage({ filters, ignored, selected }: Props) {
  const live = useLive();
  const { rows, paused, waiting, toggle } = usePause(live.rows);
  const shown = rows.filter((row) => matchesFilters(row, filters));
  const page = useRef<HTMLDivElement>(null);
  const before = useRef(selected);
  const readOn = useRef(true);

  // Whoever closes an incident, by whatever way, goes on where it is in the list.
  useEffect(() => {
    if (selected === undefined) linkOf(page.current, before.current)?.focus({ preventScroll: true });
    before.current = selected;
  }, [selected]);

  const open = (id: string) => {
    if (selected === undefined) navigate(incidentPath(id, filters), { fromList: true });
    else navigate(incidentPath(id, filters), { replace: true });
  };
  const leave = () => close(listPath(filters));
  const move = (step: number) => {
    const links = [...(page.current?.querySelectorAll<HTMLElement>('[data-incident]') ?? [])];
    const from = links.findIndex((link) =>
      selected === undefined ? link === document.activeElement : link.dataset['incident'] === selected,
    );
    const next = links[from === -1 ? 0 : from + step];
    if (next === undefined) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'nearest' });
    const id = next.dataset['incident'];
    if (selected === undefined || id === undefined) return;
    readOn.current = false;
    open(id);
  };
  useKeys({
    next: () => move(1),
    previous: () => move(-1),
    pause: toggle,
    ...(selected !== undefined && { close: leave }),
  });

  return (
    <div className={styles['page']} data-split={selected !== undefined || undefined} ref={page}>
      <div className={styles['listPane']}>
        {selected === undefined && live.stats !== undefined && live.stats.found > 0 && (
          <Tiles stats={live.stats} />
        )}
        <Announcement found={live.stats?.found} open={live.stats?.open} />
        {live.rows.length > 0 && (
          <div className={styles['toolbar']}>
            <FilterBar rows={rows} filters={filters} onChange={(next) => changeFilters(next, selected)} />
            <span className={styles['pause']}>
              <Button onClick={toggle} aria-pressed={paused} tone={paused ? 'accent' : undefined}>
                <Icon name={paused ? 'play' : 'pause'} size={14} />
                {paused ? `Resume${waiting > 0 ? `, ${String(waiting)} new` : ''}` : 'Pause'}
              </Button>
            </span>
          </div>
        )}
        {ignored.length > 0 && (
          <p className={styles['ignored']} role="note">
            The address says {ignored.join(', ')}, which is unknown here; it was ignored.
          </p>
        )}
        <List
          rows={shown}
          all={rows}
          filters={filters}
          selected={selected}
          onOpen={(id) => {
            readOn.current = true;
            open(id);
          }}
        />
      </div>
      {selected !== undefined && (
        <div className={styles['detailPane']} key={selected}>
          <ErrorBoundary>
            <IncidentPane
              id={selected}
              row={live.rows.find(({ id }) => id === selected)}
              onClose={leave}
              readOn={readOn}
              filterLink={(name, value) => listPath({ [name]: value })}
            />
          </ErrorBoundary>
        </div>
      )}
    </div>
  );
}

interface ListProps {
  readonly rows: readonly IncidentRow[];
  /** Without filters. */
  readonly all: readonly IncidentRow[];
  readonly filters: Filters;
  readonly selected: string | undefined;
  readonly onOpen: (id: string) => void;
}

/** The list in each of its states: not there yet, no answer, nothing, no match, and as it should be. */
function List({ rows, all, filters, selected, onOpen }: ListProps) {
  const { link, stats, arrived } = useLive();
  const { retry } = use(LiveContext);
  const older = useOlder(filters);
  if (stats === undefined) {
    if (link.state !== 'failed') return <ListSkeleton />;
    return (
      <div className={styles['blank']}>
        <Message
          title="No connection to the server"
          tone="hot"
          action={<Button onClick={retry}>Try again</Button>}
        >
          <p>The live link could not be opened ({link.message}). It is tried again by itself.</p>
        </Message>
      </div>
    );
  }
  if (all.length === 0) {
    return (
      <div className={styles['blank']}>
        <NothingYet />
      </div>
    );
  }
  const more = stats.kept > all.length && older.state !== 'done';
  return (
    <>
      {rows.length === 0 ? (
        <div className={styles['blank']}>
          <Message
            title="No incident matches"
            action={<Button onClick={() => changeFilters({}, selected)}>Clear filters</Button>}
          >
            <p>{plural(all.length, 'incident')} here, none with these filters.</p>
          </Message>
        </div>
      ) : (
        <IncidentList
          rows={rows}
          selected={selected}
          arrived={arrived}
          hrefOf={(id) => incidentPath(id, filters)}
          onOpen={onOpen}
        />
      )}
      {more && (
        <p className={styles['more']}>
          <Button onClick={older.load} disabled={older.state === 'loading'}>
            {older.state === 'loading' ? 'Reading…' : 'Show older incidents'}
          </Button>
          {older.state === 'failed' && <span role="alert">They could not be read; try again.</span>}
        </p>
      )}
    </>
  );
}

function changeFilters(filters: Filters, selected: string | undefined): void {
  navigate(selected === undefined ? listPath(filters) : incidentPath(selected, filters), { replace: true });
}

function linkOf(page: HTMLElement | null, id: string | undefined): HTMLElement | undefined {
  const links = page?.querySelectorAll<HTMLElement>('[data-incident]') ?? [];
  return [...links].find((link) => link.dataset['incident'] === id);
}
