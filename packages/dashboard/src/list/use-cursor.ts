import { type RefObject, useEffect, useState } from 'react';

/** The row of a list that keys act on. */
export interface Cursor {
  /** Key of the row open beside the list, else of the last one used. */
  readonly at: string | undefined;
  /** Moves the cursor without the focus. */
  readonly set: (key: string) => void;
  /** Moves cursor and focus down by this many rows. */
  readonly move: (step: number) => void;
  /** Whether the row still has to take the focus; `focused` reports that it has. */
  readonly wantFocus: boolean;
  readonly focused: () => void;
}

interface Options {
  readonly keys: readonly string[];
  /** Key of the row open beside the list. */
  readonly peek: string | undefined;
  readonly onPeek: (key: string) => void;
}

export function useCursor({ keys, peek, onPeek }: Options): Cursor {
  const [cursor, setCursor] = useState<string>();
  const [wantFocus, setWantFocus] = useState(false);
  const at = peek ?? cursor;

  // Closing the details returns to their row.
  const [before, setBefore] = useState(peek);
  if (before !== peek) {
    setBefore(peek);
    if (peek === undefined) {
      setCursor(before);
      setWantFocus(true);
    }
  }
  return {
    at,
    set: setCursor,
    move: (step) => {
      const index = at === undefined ? -1 : keys.indexOf(at);
      const next = keys[index === -1 ? 0 : Math.max(0, Math.min(keys.length - 1, index + step))];
      if (next === undefined) return;
      setWantFocus(true);
      setCursor(next);
      if (peek !== undefined) onPeek(next);
    },
    wantFocus,
    focused: () => setWantFocus(false),
  };
}

interface FocusOptions extends Pick<Cursor, 'at' | 'wantFocus' | 'focused'> {
  readonly keys: readonly string[];
  /** Contains the links of the rendered rows, each with its key as `data-key`. */
  readonly list: RefObject<HTMLElement | null>;
  /** Scrolls to a row that is not rendered. */
  readonly show: (index: number) => void;
}

/** Focuses the cursor's row as soon as it is rendered. */
export function useRowFocus({ keys, at, wantFocus, focused, list, show }: FocusOptions): void {
  useEffect(() => {
    const index = at === undefined ? -1 : keys.indexOf(at);
    if (!wantFocus || index < 0) return;
    const links = list.current?.querySelectorAll<HTMLElement>('[data-key]') ?? [];
    const link = [...links].find(({ dataset }) => dataset['key'] === at);
    if (link === undefined) show(index);
    else {
      focused();
      link.focus({ preventScroll: true });
      link.scrollIntoView({ block: 'nearest' });
    }
  });
}
