import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { scroller } from '../ui/lib/use-top.ts';

/** This close to the end counts as being there, in pixels. */
const NEAR = 48;

/**
 * Keeps the end of a growing list in sight for whoever is there; whoever reads further up stays, and is told how much
 * came below.
 *
 * @param count what the list holds
 * @param height of all of it, in pixels
 * @param reading whether there is more that was not read yet, so that what comes is not new
 */
export function useFollow(
  list: RefObject<HTMLElement | null>,
  count: number,
  height: number,
  reading: boolean,
) {
  /** How many there were when the end was last in sight. */
  const [seen, setSeen] = useState(count);
  const atEnd = useRef(false);

  const toEnd = () => {
    list.current?.scrollIntoView({ block: 'end' });
    setSeen(count);
  };

  useEffect(() => {
    const page = scroller();
    if (page === null) return;
    const look = () => {
      atEnd.current = isAtEnd(list.current, page);
      if (atEnd.current || reading) setSeen(count);
    };
    look();
    page.addEventListener('scroll', look, { passive: true });
    return () => page.removeEventListener('scroll', look);
  }, [list, count, reading]);

  useLayoutEffect(() => {
    if (atEnd.current) list.current?.scrollIntoView({ block: 'end' });
  }, [list, height]);

  return { below: count - seen, toEnd };
}

function isAtEnd(list: HTMLElement | null, page: HTMLElement): boolean {
  if (list === null) return false;
  return list.getBoundingClientRect().bottom <= page.getBoundingClientRect().bottom + NEAR;
}
