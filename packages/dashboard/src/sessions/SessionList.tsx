import type { SessionItem } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, type MouseEvent, useRef } from 'react';
import { classNames } from '../lib/class-names.ts';
import { plural } from '../lib/format.ts';
import { usePreferences } from '../lib/preferences.ts';
import { visibleText } from '../lib/visible-text.ts';
import { type Column, tracksOf } from '../list/column.ts';
import { Headings } from '../list/Headings.tsx';
import { opensElsewhere } from '../list/opens-elsewhere.ts';
import { type Cursor, useRowFocus } from '../list/use-cursor.ts';
import { SampleChip } from '../ui/controls/Chip.tsx';
import rowLink from '../ui/controls/RowLink.module.css';
import rowList from '../ui/controls/RowList.module.css';
import { Ago } from '../ui/layout/Time.tsx';
import { useNarrow } from '../ui/lib/use-narrow.ts';
import { useRows } from '../ui/lib/use-rows.ts';
import { Loops } from './columns.tsx';
import styles from './SessionList.module.css';
import { SessionState } from './SessionState.tsx';

const ROW = 57;
const CARD = 92;
/** Below this the columns leave too little of the session's name. */
const NARROW = 900;

interface Props {
  readonly rows: readonly SessionItem[];
  readonly total: number;
  readonly columns: readonly Column<SessionItem>[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly cursor: Cursor;
  /** The session that is shown beside the list. */
  readonly peek: string | undefined;
  readonly onPeek: (id: string) => void;
  readonly onEnd: () => void;
}

/** The sessions as a long list, of which only what is in sight is drawn. */
export function SessionList(props: Props) {
  const { rows, total, columns, sort, onSort, cursor, onEnd } = props;
  const list = useRef<HTMLOListElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const narrow = useNarrow(box, NARROW);
  const rowHeight = narrow ? CARD : ROW;
  const keys = rows.map(({ sessionId }) => sessionId);
  const { items, height, margin, show } = useRows({ keys, rowHeight, list, onEnd });
  useRowFocus({ ...cursor, keys, list, show });
  const widths = usePreferences(({ sessions }) => sessions.widths);
  const style = {
    '--tracks': narrow ? 'minmax(0, 1fr) auto auto' : `minmax(0, 1fr) ${tracksOf(columns, widths)}`,
    '--row': `${String(rowHeight)}px`,
  } as CSSProperties;
  return (
    <div
      ref={box}
      className={classNames(rowList['list'], styles['list'])}
      style={style}
      data-narrow={narrow || undefined}
    >
      {!narrow && (
        <Headings list="sessions" columns={columns} sort={sort} onSort={onSort}>
          <span>Session</span>
        </Headings>
      )}
      <ol ref={list} aria-label="Sessions" style={{ height }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <li
              key={row.sessionId}
              aria-setsize={total}
              aria-posinset={index + 1}
              className={classNames(rowList['row'], styles['row'])}
              style={{ transform: `translateY(${String(start - margin)}px)` }}
              data-current={row.sessionId === props.peek || undefined}
            >
              <Cells {...props} row={row} narrow={narrow} />
            </li>
          );
        })}
      </ol>
    </div>
  );
}

interface CellsProps extends Pick<Props, 'columns' | 'peek' | 'onPeek'> {
  readonly row: SessionItem;
  readonly narrow: boolean;
}

function Cells({ row, narrow, columns, peek, onPeek }: CellsProps) {
  const open = (event: MouseEvent) => {
    if (opensElsewhere(event)) return;
    event.preventDefault();
    onPeek(row.sessionId);
  };
  return (
    <>
      <div className={styles['name']}>
        <Link
          className={rowLink['link']}
          to="/sessions/$id"
          params={{ id: row.sessionId }}
          data-key={row.sessionId}
          aria-current={row.sessionId === peek || undefined}
          activeProps={{}}
          title={row.sessionId}
          onClick={open}
        >
          {visibleText(row.sessionId)}
        </Link>
        <small>
          {row.sample === true && <SampleChip />}
          {visibleText(row.agent ?? 'agent not given')}
        </small>
      </div>
      {narrow ? (
        <>
          <SessionState state={row.state} />
          <div className={styles['facts']}>
            <Loops incidents={row.incidents} />
            <span>{plural(row.turns, 'turn')}</span>
            <Ago time={row.lastEventAt} />
          </div>
        </>
      ) : (
        columns.map(({ id, right, cell }) => (
          <div key={id} className={rowList['cell']} data-right={right || undefined}>
            {cell(row)}
          </div>
        ))
      )}
    </>
  );
}
