import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { scroller } from '../ui/lib/use-top.ts';

/** Distance in pixels that still counts as the end. */
const MAX_DISTANCE = 48;

/**
 * Keeps a growing list scrolled to its end while the user is there; further up, the scroll position stays and `below`
 * counts the new items.
 *
 * @param count items in the list
 * @param height of the whole list, in pixels
 * @param hasLater whether older pages are still being loaded at the end, so that added items are not new
 */
export function useFollow(
  list: RefObject<HTMLElement | null>,
  count: number,
  height: number,
  hasLater: boolean,
) {
  /** Number of items when the end was last in view. */
  const [seen, setSeen] = useState(count);
  const atEnd = useRef(false);

  const toEnd = () => {
    list.current?.scrollIntoView({ block: 'end' });
    setSeen(count);
  };

  useEffect(() => {
    const page = scroller();
    if (page === null) return;
    const update = () => {
      atEnd.current = isAtEnd(list.current, page);
      if (atEnd.current || hasLater) setSeen(count);
    };
    update();
    page.addEventListener('scroll', update, { passive: true });
    return () => page.removeEventListener('scroll', update);
  }, [list, count, hasLater]);

  useLayoutEffect(() => {
    if (atEnd.current) list.current?.scrollIntoView({ block: 'end' });
  }, [list, height]);

  return { below: count - seen, toEnd };
}

function isAtEnd(list: HTMLElement | null, page: HTMLElement): boolean {
  if (list === null) return false;
  return list.getBoundingClientRect().bottom <= page.getBoundingClientRect().bottom + MAX_DISTANCE;
}
