import type { IncidentItem } from '@loopwatch/contract/api';
import { Link, useNavigate } from '@tanstack/react-router';
import { type CSSProperties, useEffect, useRef } from 'react';
import { usePreferences } from '../app/preferences.ts';
import { costShort } from '../incident/cost.ts';
import { DetectorLabel, StateLabel, TriageLabel } from '../ui/Chip.tsx';
import { classNames } from '../ui/class-names.ts';
import { formatReason } from '../ui/format.ts';
import { Icon } from '../ui/icons.tsx';
import { Ring } from '../ui/Ring.tsx';
import rowLink from '../ui/RowLink.module.css';
import rowList from '../ui/RowList.module.css';
import { Ago } from '../ui/Time.tsx';
import { useNarrow } from '../ui/use-narrow.ts';
import { useRows } from '../ui/use-rows.ts';
import { ColumnWidth } from './ColumnWidth.tsx';
import type { Column } from './columns.tsx';
import styles from './IncidentList.module.css';

interface Props {
  readonly rows: readonly IncidentItem[];
  readonly total: number;
  readonly columns: readonly Column[];
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** The row that has the keyboard. */
  readonly cursor: string | undefined;
  /** The row that is shown beside the list. */
  readonly peek: string | undefined;
  readonly arrived: ReadonlySet<string>;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string, range: boolean) => void;
  readonly onPeek: (id: string) => void;
  readonly onEnd: () => void;
  readonly onHover: (over: boolean) => void;
  readonly more: 'idle' | 'reading' | 'failed' | 'done';
  /** Whether the cursor is to take the focus along, and what says that it has. */
  readonly wantFocus: boolean;
  readonly onFocused: () => void;
}

const ROW = 57;
const CARD = 104;
/** Below this the columns leave too little of the sentence. */
const NARROW = 860;

/** The incidents as a long list, of which only what is in sight is drawn. */
export function IncidentList(props: Props) {
  const { rows, total, columns, sort, onSort, cursor, wantFocus, onFocused, peek } = props;
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
  const at = cursor === undefined ? -1 : keys.indexOf(cursor);

  useEffect(() => {
    if (!wantFocus || at < 0) return;
    const links = list.current?.querySelectorAll<HTMLElement>('[data-incident]') ?? [];
    const link = [...links].find(({ dataset }) => dataset['incident'] === cursor);
    if (link === undefined) show(at);
    else {
      onFocused();
      link.focus({ preventScroll: true });
      link.scrollIntoView({ block: 'nearest' });
    }
  });

  const widths = usePreferences((preferences) => preferences.widths);
  const tracks = columns.map(({ id, width }) =>
    widths[id] === undefined ? width : `${String(widths[id])}px`,
  );
  const style = {
    '--tracks': narrow ? '34px minmax(0, 1fr) auto' : `34px minmax(0, 1fr) ${tracks.join(' ')}`,
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
      {!narrow && <Headings columns={columns} sort={sort} onSort={onSort} />}
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
          Reading older ones…
        </p>
      )}
      {props.more === 'failed' && (
        <p className={styles['end']} role="alert">
          Older ones could not be read.{' '}
          <button type="button" onClick={props.onEnd}>
            Retry
          </button>
        </p>
      )}
    </div>
  );
}

function Headings({ columns, sort, onSort }: Pick<Props, 'columns' | 'sort' | 'onSort'>) {
  return (
    <div className={classNames(rowList['columns'], styles['columns'])}>
      <span />
      <span>What repeats</span>
      {columns.map((column) => (
        <div key={column.id} className={styles['heading']} data-right={column.right || undefined}>
          <ColumnWidth column={column} />
          <Heading column={column} sort={sort} onSort={onSort} />
        </div>
      ))}
    </div>
  );
}

function Heading({ column, sort, onSort }: { readonly column: Column } & Pick<Props, 'sort' | 'onSort'>) {
  const { name, sort: by } = column;
  if (by === undefined) return <span>{name}</span>;
  const down = sort === `-${by}`;
  const up = sort === by;
  return (
    <button
      type="button"
      aria-label={`Sort by ${name.toLowerCase()}${down ? ', now downwards' : up ? ', now upwards' : ''}`}
      onClick={() => onSort(down && by === 'detectedAt' ? by : `-${by}`)}
    >
      {(down || up) && <Icon name={down ? 'down' : 'up'} size={10} />}
      {name}
    </button>
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
  const navigate = useNavigate();
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
          data-incident={row.id}
          aria-current={current || undefined}
          activeProps={{}}
          title={row.reason}
          onClick={(event) => {
            if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
              return;
            event.preventDefault();
            if (narrow && window.innerWidth < 761) {
              void navigate({ to: '/incidents/$id', params: { id: row.id } });
            } else props.onPeek(row.id);
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
            <code>{row.agent ?? row.sessionId}</code>
            <CostText row={row} />
            <Ago time={row.detectedAt} />
          </div>
          <div>
            <StateLabel state={row.state} outcome={row.outcome} />
          </div>
        </>
      ) : (
        columns.map(({ id, right, cell }) => (
          <div key={id} className={styles['cell']} data-right={right || undefined}>
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
