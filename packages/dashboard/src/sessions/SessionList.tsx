import type { SessionItem } from '@loopwatch/contract/api';
import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { useKeys } from '../app/keys.ts';
import { classNames } from '../ui/class-names.ts';
import rowList from '../ui/RowList.module.css';
import { useNarrow } from '../ui/use-narrow.ts';
import { useRows } from '../ui/use-rows.ts';
import { SessionCells } from './SessionCells.tsx';
import styles from './SessionList.module.css';

const ROW = 57;
const CARD = 92;

interface Props {
  readonly rows: readonly SessionItem[];
  readonly total: number;
  readonly onEnd: () => void;
}

/** The sessions as a long list, of which only what is in sight is drawn. */
export function SessionList({ rows, total, onEnd }: Props) {
  const list = useRef<HTMLOListElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const narrow = useNarrow(box, 720);
  const rowHeight = narrow ? CARD : ROW;
  const { items, height, margin, show } = useRows({
    keys: rows.map(({ sessionId }) => sessionId),
    rowHeight,
    list,
    onEnd,
  });
  const [cursor, setCursor] = useState<number>();
  const wantFocus = useRef(false);
  const move = (step: number) => {
    wantFocus.current = true;
    setCursor((now) => (now === undefined ? 0 : Math.max(0, Math.min(rows.length - 1, now + step))));
  };
  useKeys({ next: () => move(1), previous: () => move(-1) });
  useEffect(() => {
    if (!wantFocus.current || cursor === undefined) return;
    const link = list.current?.querySelector<HTMLElement>(`[data-row="${String(cursor)}"] a`);
    if (link == null) show(cursor);
    else {
      wantFocus.current = false;
      link.focus({ preventScroll: true });
      link.scrollIntoView({ block: 'nearest' });
    }
  });
  return (
    <div
      ref={box}
      className={classNames(rowList['list'], styles['list'])}
      style={{ '--row': `${String(rowHeight)}px` } as CSSProperties}
      data-narrow={narrow || undefined}
    >
      {!narrow && (
        <div className={rowList['columns']} aria-hidden="true">
          <span>Session</span>
          <span>Model</span>
          <span>Loops</span>
          <span className={styles['activity']}>Activity</span>
          <span data-right>Turns, calls</span>
          <span data-right className={styles['tokens']}>
            Tokens
          </span>
          <span data-right>Last event</span>
          <span>State</span>
        </div>
      )}
      <ol ref={list} aria-label="Sessions" style={{ height }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <li
              key={row.sessionId}
              data-row={index}
              aria-setsize={total}
              aria-posinset={index + 1}
              className={classNames(rowList['row'], styles['row'])}
              style={{ transform: `translateY(${String(start - margin)}px)` }}
            >
              <SessionCells row={row} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}
