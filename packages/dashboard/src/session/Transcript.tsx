import type { SessionDetail } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { formatNumber, formatTime, plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { scroller, useTop } from '../ui/lib/use-top.ts';
import { BlockView } from './BlockView.tsx';
import { type Block, isInLoop, toBlocks } from './blocks.ts';
import { isIn, type ShownPart } from './parts.ts';
import { RedactionNote } from './RedactionNote.tsx';
import { type Anchor, useEvents } from './use-events.ts';
import { useFollow } from './use-follow.ts';
import { useRedaction } from './use-redaction.ts';

interface Props {
  readonly session: SessionDetail;
  readonly shown: ShownPart;
  readonly anchor: Anchor;
  /** Index of the event to scroll to and highlight. */
  readonly at: number | undefined;
}

type Shown = 'all' | 'calls' | 'text';

/** Messages and calls, block by block, virtualized. */
export function Transcript({ session: whole, shown: part, anchor, at }: Props) {
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
    until: at,
    live: part.isLatest && (session.state === 'live' || session.state === 'quiet'),
  });
  const [shown, setShown] = useState<Shown>('all');
  const redaction = useRedaction();
  const { items } = events;
  const all = useMemo(() => toBlocks(items ?? []), [items]);
  const blocks = useMemo(
    () =>
      shown === 'all'
        ? all
        : all.filter(({ kind }) => kind === 'prompt' || (kind === 'call') === (shown === 'calls')),
    [all, shown],
  );

  if (items === undefined) {
    if (events.error === null) return <Skeleton height={520} what="the events" />;
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
  return (
    <section className="border min-w-0 rounded-lg bg-panel" aria-label="Transcript">
      <div className="px-4 py-2 sticky z-2 top-0 flex items-center gap-2 border-b rounded-t-lg bg-panel max-sm:justify-between">
        <h2 className="font-600">Transcript</h2>
        <span className="flex-1 text-sm text-ink3 max-sm:hidden">
          {items.length < events.total
            ? `${formatNumber(items.length)} of ${plural(events.total, 'event')}`
            : plural(items.length, 'event')}
          {part.isLatest && session.state === 'live' && ', live'}
        </span>
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
          part={part.isLatest ? undefined : Number(part.part.source.firstOffset)}
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
  const list = useRef<HTMLOListElement>(null);
  const margin = useTop(list);
  // eslint-disable-next-line react-hooks/incompatible-library -- nothing of it is handed on
  const rows = useVirtualizer({
    count: blocks.length,
    getScrollElement: scroller,
    estimateSize: (index) => (blocks[index]?.kind === 'call' ? 120 : 84),
    getItemKey: (index) => blocks[index]?.key ?? index,
    overscan: 6,
    scrollMargin: margin,
    initialRect: { width: 1_000, height: 900 },
  });
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
        className="my-2 relative [&>li]:px-4 [&>li]:py-1.75 [&>li]:absolute [&>li]:top-0 [&>li]:right-0 [&>li]:left-0 [&>li]:grid [&>li]:grid-cols-[74px_minmax(0,1fr)] [&>li]:gap-3 max-sm:[&>li]:px-3 max-sm:[&>li]:grid-cols-[52px_minmax(0,1fr)] max-sm:[&>li]:gap-2 [&>li]:data-target:bg-accent-soft"
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
              <div className="grid content-start text-sm text-ink3">
                {block.first !== undefined && (
                  <Link
                    className="text-sm/[1.7] w-fit font-mono font-500 text-ink2 hover:text-accent hover:underline"
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
                <small className="text-xs">{formatTime(block.time, before?.time ?? block.time)}</small>
                {block.turn !== undefined && block.turn !== before?.turn && (
                  <small className="text-xs">turn {block.turn}</small>
                )}
              </div>
              <BlockView
                sessionId={session.sessionId}
                block={block}
                incidents={session.incidentItems}
                isRedacted={isRedacted}
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
