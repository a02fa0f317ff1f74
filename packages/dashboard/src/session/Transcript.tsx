import type { SessionDetail, SessionEvent } from '@loopwatch/contract/api';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { formatNumber, plural } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Message } from '../ui/feedback/Message.tsx';
import { Skeleton } from '../ui/feedback/Skeleton.tsx';
import { Segments } from '../ui/layout/Segments.tsx';
import { toBlocks } from './blocks.ts';
import { MapCard } from './map/MapCard.tsx';
import { isIn, type ShownPart } from './parts.ts';
import { RedactionNote } from './RedactionNote.tsx';
import { Replay } from './Replay.tsx';
import { StepList } from './StepList.tsx';
import { loopAt, targetOf } from './step-target.ts';
import { type Anchor, useEvents } from './use-events.ts';
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
      isPart={session.parts !== undefined}
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
          <StepList
            key={shown}
            session={session}
            part={offset}
            blocks={blocks}
            // Until its events are loaded, those of before are shown, and none of them is the target.
            target={events.isPlaceholderData ? undefined : targetOf(blocks, anchor, at, session)}
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
