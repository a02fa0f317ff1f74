import { type RefObject, useLayoutEffect, useState } from 'react';

/** The element that scrolls all pages. */
export function scroller(): HTMLElement | null {
  return document.getElementById('page');
}

/** Offset of an element from the top of the page, in pixels; updates when content above it changes size. */
export function useTop(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const page = scroller();
    if (page === null) return;
    const look = () => {
      const { current } = element;
      if (current === null) return;
      const now = current.getBoundingClientRect().top - page.getBoundingClientRect().top + page.scrollTop;
      setTop((before) => (Math.abs(before - now) > 1 ? now : before));
    };
    look();
    if (typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(look);
    // Content that grows above the element also resizes their common ancestors.
    for (let above = element.current?.parentElement; above && above !== page; above = above.parentElement) {
      observer.observe(above);
      for (const child of above.children) observer.observe(child);
    }
    return () => observer.disconnect();
  }, [element]);
  return top;
}
