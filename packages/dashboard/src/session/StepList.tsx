import type { SessionDetail } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber, formatTime } from '../lib/format.ts';
import { Button } from '../ui/controls/Button.tsx';
import { Icon } from '../ui/lib/icons.tsx';
import { scroller, useTop } from '../ui/lib/use-top.ts';
import type { Block } from './blocks.ts';
import { Step } from './Step.tsx';
import type { Target } from './step-target.ts';
import { useFollow } from './use-follow.ts';

interface Props {
  readonly session: SessionDetail;
  /** An offset in the part that is shown; undefined for the latest. */
  readonly part: number | undefined;
  readonly blocks: readonly Block[];
  readonly target: Target | undefined;
  /** Whether there are later events that are not loaded yet. */
  readonly hasLater: boolean;
  readonly isRedacted: boolean;
}

/** The steps of a session; only those in sight are in the document. */
export function StepList({ session, part, blocks, target, hasLater, isRedacted }: Props) {
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

function withToggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const toggled = new Set(keys);
  if (!toggled.delete(key)) toggled.add(key);
  return toggled;
}
