import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { scroller, useTop } from './use-top.ts';

interface Options {
  readonly keys: readonly string[];
  readonly rowHeight: number;
  readonly list: RefObject<HTMLElement | null>;
  /** Called when the end is nearly visible. */
  readonly onEnd: () => void;
}

/**
 * Virtualizes a long list within the page's own scrolling. Visible rows keep their position while rows are added above.
 */
export function useRows({ keys, rowHeight, list, onEnd }: Options) {
  const margin = useTop(list);
  const rows = useVirtualizer({
    count: keys.length,
    getScrollElement: scroller,
    estimateSize: () => rowHeight,
    getItemKey: (index) => keys[index] ?? index,
    overscan: 8,
    scrollMargin: margin,
    // For jsdom, which has no layout.
    initialRect: { width: 1_000, height: 900 },
  });
  const items = rows.getVirtualItems();

  useLayoutEffect(() => {
    rows.measure();
  }, [rows, rowHeight]);

  // Key and index of the topmost visible row at the last render.
  const first = useRef<string>(undefined);
  const firstSeen = useRef<number>(undefined);
  useLayoutEffect(() => {
    const page = scroller();
    if (page === null) return;
    const above = Math.floor((page.scrollTop - margin) / rowHeight);
    const before = first.current;
    const now = before === undefined ? -1 : keys.indexOf(before);
    const seen = firstSeen.current;
    if (seen !== undefined && now > seen && page.scrollTop > margin + rowHeight / 2) {
      page.scrollTop += (now - seen) * rowHeight;
      firstSeen.current = now;
    } else {
      firstSeen.current = above >= 0 ? above : undefined;
      first.current = above >= 0 ? keys[above] : undefined;
    }
  });

  const lastShown = items.at(-1)?.index ?? 0;
  const near = keys.length > 0 && lastShown >= keys.length - 12;
  useLayoutEffect(() => {
    if (near) onEnd();
    // Only when the end comes nearer, so that a failed page is not requested in a loop.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [near, keys.length]);

  return { items, height: rows.getTotalSize(), margin, show: (index: number) => rows.scrollToIndex(index) };
}
