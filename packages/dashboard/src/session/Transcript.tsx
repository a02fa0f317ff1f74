import type { IncidentItem, SessionDetail, SessionEvent } from '@loopwatch/contract/api';
import { Link, useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { formatNumber, formatTime, plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { scroller, useTop } from '../ui/lib/use-top.ts';
import { type Block, isInLoop, toBlocks } from './blocks.ts';
import { MapCard } from './map/MapCard.tsx';
import { isIn, type ShownPart } from './parts.ts';
import { RedactionNote } from './RedactionNote.tsx';
import { Replay } from './Replay.tsx';
import { Step } from './Step.tsx';
import { type Anchor, useEvents } from './use-events.ts';
import { useFollow } from './use-follow.ts';
import { useRedaction } from './use-redaction.ts';

interface Props {
  readonly session: SessionDetail;
  readonly shown: ShownPart;
  /** Where loading starts. */
  readonly start: Anchor;
  /** Index of the event to scroll to and highlight. */
  readonly at: number | undefined;
}

type Shown = 'all' | 'calls' | 'text';

/** A map of the session, and its messages and calls, step by step, virtualized. */
export function Transcript({ session: whole, shown: part, start, at }: Props) {
  const [anchor, setAnchor] = useState(start);
  const session = useMemo(
    () => ({
      ...whole,
      incidentItems: whole.incidentItems.filter((incident) => isIn(whole, part.index, incident)),
    }),
    [whole, part.index],
  );
  const events = useEvents({
    id: session.sessionId,
    anchor,
    live: part.isLatest && (session.state === 'live' || session.state === 'quiet'),
  });
  const [shown, setShown] = useState<Shown>('all');
  const redaction = useRedaction();
  const { items } = events;
  // One request leads to an event that is not loaded.
  const isAnchored = anchor.kind === 'at' && anchor.at === at;
  if (at !== undefined && items !== undefined && !isAnchored && !covers(items, at))
    setAnchor({ kind: 'at', at, part: Number(part.part.source.firstOffset) });
  const navigate = useNavigate();
  const offset = part.isLatest ? undefined : Number(part.part.source.firstOffset);
  const { sessionId } = session;
  const go = useCallback(
    (index: number) =>
      void navigate({
        to: '/sessions/$id',
        params: { id: sessionId },
        search: (known) => ({
          ...known,
          at: String(index),
          ...(offset !== undefined && { part: String(offset) }),
        }),
        replace: true,
        resetScroll: false,
      }),
    [navigate, sessionId, offset],
  );
  const all = useMemo(() => toBlocks(items ?? []), [items]);
  const blocks = useMemo(
    () =>
      shown === 'all'
        ? all
        : all.filter(({ kind }) => kind === 'prompt' || (kind === 'call') === (shown === 'calls')),
    [all, shown],
  );

  const map = (
    <MapCard
      sessionId={sessionId}
      part={offset}
      incidents={session.incidentItems}
      at={at}
      isReady={items !== undefined}
      isLive={offset === undefined && session.state === 'live'}
      isRedacted={redaction.isRedacted}
      onGo={go}
    />
  );
  if (items === undefined) {
    if (events.error === null) {
      return (
        <>
          {map}
          <Skeleton height={520} what="the events" />
        </>
      );
    }
    return (
      <div className="border min-w-0 rounded-lg bg-panel">
        <Message
          title="Could not load the events"
          tone="hot"
          action={<Button onClick={() => void events.refetch()}>Retry</Button>}
        >
          <p>{errorText(events.error)}</p>
        </Message>
      </div>
    );
  }
  const loop = loopAt(session.incidentItems, blocks, at, anchor);
  return (
    <>
      {map}
      <section className="border min-w-0 rounded-lg bg-panel" aria-label="Transcript">
        <div className="px-4 py-2 sticky z-2 top-0 flex flex-wrap items-center gap-2 border-b rounded-t-lg bg-panel max-sm:justify-between">
          <h2 className="font-600">Transcript</h2>
          <span className="flex-1 text-sm text-ink3 max-sm:hidden">
            {items.length < events.total
              ? `${formatNumber(items.length)} of ${plural(events.total, 'event')}`
              : plural(items.length, 'event')}
            {part.isLatest && session.state === 'live' && ', live'}
          </span>
          {loop !== undefined && <Replay blocks={blocks} loop={loop} at={at} onGo={go} />}
          <Segments
            label="Show"
            value={shown}
            options={[
              { value: 'all', text: 'All' },
              { value: 'calls', text: 'Calls' },
              { value: 'text', text: 'Text' },
            ]}
            onChange={setShown}
          />
        </div>
        <RedactionNote redaction={redaction} />
        {events.gone && (
          <p className="px-4 py-2 bg-warm-soft text-warm text-sm" role="note">
            The log no longer has the first events of this session.
          </p>
        )}
        {events.hasPreviousPage && (
          <p className="p-2 flex gap-3 justify-center text-hot">
            <Button
              small
              onClick={() => void events.fetchPreviousPage()}
              disabled={events.isFetchingPreviousPage}
            >
              {events.isFetchingPreviousPage ? 'Loading…' : 'Load earlier events'}
            </Button>
          </p>
        )}
        {blocks.length === 0 ? (
          <Message title="No events">
            <p>{items.length === 0 ? 'The log has no events of this session.' : 'No events of this kind.'}</p>
          </Message>
        ) : (
          <List
            key={shown}
            session={session}
            part={offset}
            blocks={blocks}
            target={targetOf(blocks, anchor, at, session)}
            hasLater={events.cut}
            isRedacted={redaction.isRedacted}
          />
        )}
        {events.cut && events.hasNextPage && (
          <p className="p-2 flex gap-3 justify-center text-hot">
            <Button small onClick={() => void events.fetchNextPage()} disabled={events.isFetchingNextPage}>
              {events.isFetchingNextPage ? 'Loading…' : 'Load later events'}
            </Button>
            {events.isFetchNextPageError && <span role="alert">Could not load more.</span>}
          </p>
        )}
      </section>
    </>
  );
}

/** Whether the event is among those that are loaded. */
function covers(items: readonly SessionEvent[], at: number): boolean {
  const indexes = items.flatMap(({ eventIndex }) => eventIndex ?? []);
  return at >= (indexes[0] ?? Infinity) && at <= (indexes.at(-1) ?? -1);
}

/** The loop that the current step belongs to; else the one that the URL names, or the latest. */
function loopAt(
  incidents: readonly IncidentItem[],
  blocks: readonly Block[],
  at: number | undefined,
  anchor: Anchor,
): IncidentItem | undefined {
  const block = at === undefined ? undefined : blocks.find(({ last }) => (last ?? -1) >= at);
  const named = anchor.kind === 'around' ? anchor.incident : undefined;
  const loops = incidents.filter(({ kind }) => kind === 'loop');
  return (
    loops.find((loop) => block !== undefined && isInLoop(block, loop)) ??
    loops.find(({ id }) => id === named) ??
    loops[0]
  );
}

/** The block that the URL points to; undefined if there is none or it is not loaded yet. */
function targetOf(
  blocks: readonly Block[],
  anchor: Anchor,
  at: number | undefined,
  session: SessionDetail,
): Target | undefined {
  const found = (key: string, index: number, marked = true) =>
    index < 0 ? undefined : { key, index, marked };
  if (at !== undefined) {
    return found(
      `at ${String(at)}`,
      blocks.findIndex(({ last }) => (last ?? -1) >= at),
    );
  }
  if (anchor.kind !== 'around')
    return anchor.kind === 'end' ? found('end', blocks.length - 1, false) : undefined;
  const loop = session.incidentItems.find(({ id }) => id === anchor.incident);
  return (
    loop &&
    found(
      `loop ${loop.id}`,
      blocks.findIndex((block) => isInLoop(block, loop)),
    )
  );
}

interface Target {
  /** Stable as the list grows, so that the list scrolls to it only once. */
  readonly key: string;
  readonly index: number;
  readonly marked: boolean;
}

function withToggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const toggled = new Set(keys);
  if (!toggled.delete(key)) toggled.add(key);
  return toggled;
}

interface ListProps {
  readonly session: SessionDetail;
  /** An offset in the part that is shown; undefined for the latest. */
  readonly part: number | undefined;
  readonly blocks: readonly Block[];
  readonly target: Target | undefined;
  /** Whether there are later events that are not loaded yet. */
  readonly hasLater: boolean;
  readonly isRedacted: boolean;
}

function List({ session, part, blocks, target, hasLater, isRedacted }: ListProps) {
  const longest = useMemo(
    () => blocks.reduce((most, { call }) => Math.max(most, call?.ms ?? 0), 1),
    [blocks],
  );
  const list = useRef<HTMLOListElement>(null);
  const margin = useTop(list);
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed on
  const rows = useVirtualizer({
    count: blocks.length,
    getScrollElement: scroller,
    estimateSize: () => 32,
    getItemKey: (index) => blocks[index]?.key ?? index,
    overscan: 12,
    scrollMargin: margin,
    initialRect: { width: 1_000, height: 900 },
  });
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  // Scrolls to the linked block once it is loaded.
  const [scrolledTo, setScrolledTo] = useState<string>();
  useEffect(() => {
    if (target === undefined || scrolledTo === target.key || margin === 0) return;
    rows.scrollToIndex(target.index, { align: 'center' });
    setScrolledTo(target.key);
  }, [target, scrolledTo, margin, rows]);

  const height = rows.getTotalSize();
  const { below, toEnd } = useFollow(list, blocks.length, height, hasLater);

  return (
    <>
      <ol
        ref={list}
        className="my-2 relative [&>li]:px-4 [&>li]:py-px [&>li]:absolute [&>li]:top-0 [&>li]:right-0 [&>li]:left-0 [&>li]:grid [&>li]:grid-cols-[120px_minmax(0,1fr)] [&>li]:gap-2 max-sm:[&>li]:px-2 max-sm:[&>li]:grid-cols-[52px_minmax(0,1fr)] max-sm:[&>li]:gap-1 [&>li]:data-target:bg-accent-soft"
        style={{ height }}
      >
        {rows.getVirtualItems().map(({ index: at, start }) => {
          const block = blocks[at];
          if (block === undefined) return null;
          const before = blocks[at - 1];
          return (
            <li
              key={block.key}
              ref={rows.measureElement}
              data-index={at}
              data-target={(target?.marked === true && at === target.index) || undefined}
              aria-current={(target?.marked === true && at === target.index) || undefined}
              aria-setsize={blocks.length}
              aria-posinset={at + 1}
              style={{ transform: `translateY(${String(start - margin)}px)` }}
            >
              <div className="flex h-7.5 items-center gap-2 text-sm text-ink3">
                {block.first !== undefined && (
                  <Link
                    className="min-w-12 font-mono text-sm font-500 text-ink2 hover:text-accent hover:underline"
                    to="/sessions/$id"
                    params={{ id: session.sessionId }}
                    search={{ at: String(block.first), ...(part !== undefined && { part: String(part) }) }}
                    activeProps={{}}
                    title="Link to this event"
                    resetScroll={false}
                  >
                    #{block.first}
                  </Link>
                )}
                <small
                  className="text-xs tabular-nums max-sm:hidden"
                  title={block.turn === undefined ? undefined : `turn ${formatNumber(block.turn)}`}
                >
                  {formatTime(block.time, before?.time ?? block.time)}
                </small>
              </div>
              <Step
                sessionId={session.sessionId}
                block={block}
                incidents={session.incidentItems}
                isRedacted={isRedacted}
                isOpen={toggled.has(block.key)}
                longest={longest}
                onToggle={() => setToggled((known) => withToggled(known, block.key))}
              />
            </li>
          );
        })}
      </ol>
      {below > 0 && (
        <p className="sticky z-2 bottom-3 flex justify-center h-0 items-end">
          <Button small tone="accent" onClick={toEnd}>
            <Icon name="down" size={12} />
            {formatNumber(below)} new below
          </Button>
        </p>
      )}
    </>
  );
}
