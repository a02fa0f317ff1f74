import type { IncidentItem } from '@loopwatch/contract/api';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { outlineQuery } from '../../api/sessions.ts';
import { errorText } from '../../lib/error-text.ts';
import { formatNumber, plural } from '../../lib/format.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import { Icon } from '../../ui/lib/icons.tsx';
import { SessionMap } from './SessionMap.tsx';

interface Props {
  readonly sessionId: string;
  /** An offset in the part that is shown; undefined for the latest. */
  readonly part: number | undefined;
  /** Whether the session has several parts, of which the map shows one. */
  readonly isPart: boolean;
  readonly incidents: readonly IncidentItem[];
  readonly at: number | undefined;
  /** Whether the events are shown, which come first: reading all of them takes longer. */
  readonly isReady: boolean;
  /** Whether events are added while it is open. */
  readonly isLive: boolean;
  readonly isRedacted: boolean;
  readonly onGo: (index: number) => void;
}

/** How often the map of a live session is read again: it reads all of its events. */
const LIVE_MS = 15_000;

/** The map of a session, and a search of all of it. */
export function MapCard({
  sessionId,
  part,
  isPart,
  incidents,
  at,
  isReady,
  isLive,
  isRedacted,
  onGo,
}: Props) {
  const [typed, setTyped] = useState('');
  const [q, setQ] = useState<string>();
  const map = useQuery({
    ...outlineQuery(sessionId, { part }),
    enabled: isReady,
    refetchInterval: isLive ? LIVE_MS : false,
  });
  const search = useQuery({ ...outlineQuery(sessionId, { part, q }), enabled: q !== undefined });
  const matches = q === undefined ? [] : (search.data?.matches ?? []);
  const apply = (text: string) => setQ(text.trim() === '' ? undefined : text.trim());
  const next = matches.find(({ index }) => index > (at ?? -1)) ?? matches[0];
  const previous = matches.findLast(({ index }) => index < (at ?? Infinity)) ?? matches.at(-1);
  const current = matches.findIndex(({ index }) => index === at);
  return (
    <section className="grid gap-3 border rounded-lg bg-panel px-4 py-3 min-w-0" aria-label="Session map">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="font-600">{isPart ? 'This part' : 'Whole session'}</h2>
        <span className="flex-1 text-sm text-ink3 @max-[900px]/page:hidden">
          {map.data !== undefined && 'calls and cumulative cost; click to jump to an event'}
          {map.data?.complete === false && ' (the first events only: it is too long)'}
        </span>
        <form
          className="flex items-center gap-1 max-sm:basis-full"
          role="search"
          onSubmit={(event) => {
            event.preventDefault();
            if (typed.trim() === (q ?? '') && next !== undefined) onGo(next.index);
            else apply(typed);
          }}
        >
          <input
            type="search"
            className="field h-7 w-56 max-sm:flex-1"
            aria-label="Search in this session"
            placeholder="Search texts, calls, results"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              if (event.target.value === '') apply('');
            }}
          />
          <Button icon small aria-label="Previous match" onClick={() => previous && onGo(previous.index)}>
            <Icon name="up" size={13} />
          </Button>
          <Button icon small aria-label="Next match" onClick={() => next && onGo(next.index)}>
            <Icon name="down" size={13} />
          </Button>
        </form>
      </div>
      {map.data !== undefined ? (
        <SessionMap
          outline={{ ...map.data, matches: [...matches] }}
          isPart={isPart}
          incidents={incidents}
          at={at}
          onGo={onGo}
        />
      ) : map.error === null ? (
        <Skeleton height={64} what="the map" />
      ) : (
        <p className="text-sm text-hot">Could not load the map: {errorText(map.error)}</p>
      )}
      {q !== undefined && (
        <div className="grid gap-1">
          <p className="text-sm text-ink2" role="status">
            {search.isPending
              ? 'Searching…'
              : search.error !== null
                ? errorText(search.error)
                : `${matches.length === 200 ? 'The first ' : ''}${plural(matches.length, 'match', 'matches')}${current === -1 ? '' : `, at ${formatNumber(current + 1)}`}`}
          </p>
          <ol className="max-h-44 overflow-auto empty:hidden" aria-label="Matches">
            {matches.map(({ index, text }) => (
              <li key={index}>
                <button
                  type="button"
                  className="flex min-h-6 w-full min-w-0 items-center gap-2 rounded-sm px-1.5 text-left text-sm hover:bg-raise aria-[current]:bg-accent-soft"
                  aria-current={index === at || undefined}
                  onClick={() => onGo(index)}
                >
                  <span className="w-16 flex-none font-mono text-ink3">#{index}</span>
                  <span className="truncate text-ink2">
                    {isRedacted ? plural(text.length, 'character') + ' hidden' : visibleText(text)}
                  </span>
                </button>
              </li>
            ))}
          </ol>
        </div>
      )}
    </section>
  );
}
