import type { IncidentItem } from '@loopwatch/contract/api';
import { Link } from '@tanstack/react-router';
import { type CSSProperties, useRef } from 'react';
import { costShort } from '../incident/cost.ts';
import { classNames } from '../lib/class-names.ts';
import { formatReason } from '../lib/format.ts';
import { usePreferences } from '../lib/preferences.ts';
import { visibleText } from '../lib/visible-text.ts';
import { type Column, tracksOf } from '../list/column.ts';
import { Headings } from '../list/Headings.tsx';
import { opensElsewhere } from '../list/opens-elsewhere.ts';
import { type Cursor, useRowFocus } from '../list/use-cursor.ts';
import { Ring } from '../ui/charts/Ring.tsx';
import { DetectorLabel, StateLabel, TriageLabel } from '../ui/controls/Chip.tsx';
import rowLink from '../ui/controls/RowLink.module.css';
import rowList from '../ui/controls/RowList.module.css';
import { Ago } from '../ui/layout/Time.tsx';
import { useNarrow } from '../ui/lib/use-narrow.ts';
import { useRows } from '../ui/lib/use-rows.ts';
import styles from './IncidentList.module.css';

interface Props {
  readonly rows: readonly IncidentItem[];
  readonly total: number;
  readonly columns: readonly Column<IncidentItem>[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly cursor: Cursor;
  /** The row that is shown beside the list. */
  readonly peek: string | undefined;
  readonly arrived: ReadonlySet<string>;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string, range: boolean) => void;
  readonly onPeek: (id: string) => void;
  readonly onEnd: () => void;
  readonly onHover: (over: boolean) => void;
  readonly more: 'idle' | 'reading' | 'failed' | 'done';
}

const ROW = 57;
const CARD = 104;
/** Below this the columns leave too little of the sentence. */
const NARROW = 860;

/** The incidents as a long list, of which only what is in sight is drawn. */
export function IncidentList(props: Props) {
  const { rows, total, columns, sort, onSort, cursor, peek } = props;
  const list = useRef<HTMLOListElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const narrow = useNarrow(box, NARROW);
  const keys = rows.map(({ id }) => id);
  const rowHeight = narrow ? CARD : ROW;
  const { items, height, margin, show } = useRows({
    keys,
    rowHeight,
    list,
    onEnd: props.onEnd,
  });
  useRowFocus({ ...cursor, keys, list, show });

  const widths = usePreferences(({ incidents }) => incidents.widths);
  const style = {
    '--tracks': narrow ? '34px minmax(0, 1fr) auto' : `34px minmax(0, 1fr) ${tracksOf(columns, widths)}`,
    '--row': `${String(rowHeight)}px`,
  } as CSSProperties;
  return (
    <div
      ref={box}
      className={classNames(rowList['list'], styles['list'])}
      style={style}
      data-narrow={narrow || undefined}
      onPointerEnter={(event) => event.pointerType === 'mouse' && props.onHover(true)}
      onPointerLeave={() => props.onHover(false)}
    >
      {!narrow && (
        <Headings list="incidents" columns={columns} sort={sort} onSort={onSort}>
          <span />
          <span>Reason</span>
        </Headings>
      )}
      <ol ref={list} aria-label="Incidents, newest first" style={{ height }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <Item
              key={row.id}
              {...props}
              row={row}
              narrow={narrow}
              top={start - margin}
              position={index + 1}
              total={total}
              current={row.id === peek}
            />
          );
        })}
      </ol>
      {props.more === 'reading' && (
        <p className={styles['end']} role="status">
          Loading more…
        </p>
      )}
      {props.more === 'failed' && (
        <p className={styles['end']} role="alert">
          Could not load more.{' '}
          <button type="button" onClick={props.onEnd}>
            Retry
          </button>
        </p>
      )}
    </div>
  );
}

interface ItemProps extends Props {
  readonly row: IncidentItem;
  readonly narrow: boolean;
  readonly top: number;
  readonly position: number;
  readonly current: boolean;
}

function Item({ row, narrow, top, position, total, current, columns, selected, ...props }: ItemProps) {
  const isSelected = selected.has(row.id);
  return (
    <li
      className={classNames(rowList['row'], styles['item'])}
      style={{ transform: `translateY(${String(top)}px)` }}
      aria-setsize={total}
      aria-posinset={position}
      data-arrived={props.arrived.has(row.id) || undefined}
      data-current={current || undefined}
      data-selected={isSelected || undefined}
      data-over={row.triage.status === 'muted' || row.triage.status === 'false_positive' || undefined}
    >
      <label className={styles['pick']}>
        <Ring
          detector={row.detector}
          count={row.count}
          threshold={row.threshold}
          period={row.period}
          over={row.state === 'resolved'}
        />
        <input
          type="checkbox"
          checked={isSelected}
          aria-label={`Select: ${row.reason}`}
          onChange={(event) => props.onSelect(row.id, (event.nativeEvent as MouseEvent).shiftKey)}
        />
      </label>
      <div className={styles['why']}>
        <Link
          to="/incidents/$id"
          params={{ id: row.id }}
          className={classNames(rowLink['link'], styles['link'])}
          data-key={row.id}
          aria-current={current || undefined}
          activeProps={{}}
          title={row.reason}
          onClick={(event) => {
            if (opensElsewhere(event)) return;
            event.preventDefault();
            props.onPeek(row.id);
          }}
        >
          {formatReason(row.reason)}
        </Link>
        <span className={styles['under']}>
          <DetectorLabel detector={row.detector} />
          {narrow && <TriageLabel triage={row.triage} />}
        </span>
      </div>
      {narrow ? (
        <>
          <div className={styles['facts']}>
            <code>{visibleText(row.agent ?? row.sessionId)}</code>
            <CostText row={row} />
            <Ago time={row.detectedAt} />
          </div>
          <div>
            <StateLabel state={row.state} outcome={row.outcome} />
          </div>
        </>
      ) : (
        columns.map(({ id, right, cell }) => (
          <div key={id} className={rowList['cell']} data-right={right || undefined}>
            {cell(row)}
          </div>
        ))
      )}
    </li>
  );
}

function CostText({ row }: { readonly row: IncidentItem }) {
  const { value, unit } = costShort(row);
  return (
    <span>
      {value} {unit}
    </span>
  );
}
