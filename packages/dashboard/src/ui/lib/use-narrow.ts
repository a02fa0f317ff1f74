import { type RefObject, useLayoutEffect, useState } from 'react';

/** Whether an element is narrower than `below` pixels; for what CSS alone cannot do. */
export function useNarrow(element: RefObject<HTMLElement | null>, below: number): boolean {
  const [narrow, setNarrow] = useState(() => window.innerWidth < below);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null || typeof ResizeObserver === 'undefined') return;
    const look = () => setNarrow(current.clientWidth < below);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element, below]);
  return narrow;
}
