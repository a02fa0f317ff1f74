import { type RefObject, useEffect, useState } from 'react';

/** The row of a list that has the keyboard. */
export interface Cursor {
  /** The row that is shown beside the list, else the one that was last at hand. */
  readonly at: string | undefined;
  /** Puts it there without moving the focus. */
  readonly set: (key: string) => void;
  /** So many rows down, with the focus. */
  readonly move: (step: number) => void;
  /** Whether the row is still to take the focus, and what says that it has. */
  readonly wantFocus: boolean;
  readonly focused: () => void;
}

interface Options {
  readonly keys: readonly string[];
  /** The row that is shown beside the list. */
  readonly peek: string | undefined;
  readonly onPeek: (key: string) => void;
}

export function useCursor({ keys, peek, onPeek }: Options): Cursor {
  const [cursor, setCursor] = useState<string>();
  const [wantFocus, setWantFocus] = useState(false);
  const at = peek ?? cursor;

  // After closing the drawer the reader goes on where it was in the list.
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
  /** Holds the links of the rows that are drawn, each with its key as `data-key`. */
  readonly list: RefObject<HTMLElement | null>;
  /** Draws a row that is out of sight. */
  readonly show: (index: number) => void;
}

/** Takes the focus to the row of the cursor, as soon as it is drawn. */
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
