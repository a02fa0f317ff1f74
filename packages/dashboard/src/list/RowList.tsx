import { type CSSProperties, type HTMLAttributes, type ReactNode, useRef } from 'react';
import { type ListName, usePreferences } from '../lib/preferences.ts';
import { useNarrow } from '../ui/lib/use-narrow.ts';
import { useRows } from '../ui/lib/use-rows.ts';
import { type Column, tracksOf } from './column.ts';
import { Headings } from './Headings.tsx';
import { type Cursor, useRowFocus } from './use-cursor.ts';

/** What a list needs from its page. */
export interface RowListProps<Item> {
  readonly rows: readonly Item[];
  /** Of all pages, those not loaded yet included; undefined if it is unknown. */
  readonly total: number | undefined;
  readonly columns: readonly Column<Item>[];
  /** A column's `sort`, with a minus for descending. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly cursor: Cursor;
  /** Key of the row that is open beside the list. */
  readonly peek: string | undefined;
  readonly onPeek: (key: string) => void;
  readonly onEnd: () => void;
}

interface Props<Item> extends Omit<RowListProps<Item>, 'onPeek'> {
  readonly list: ListName;
  readonly label: string;
  readonly keyOf: (row: Item) => string;
  /** `grid-template-columns` of the parts before the chosen columns, and of a card. */
  readonly tracks: { readonly row: string; readonly card: string };
  readonly cardHeight: number;
  /** Rows become cards below this width of the list, in pixels. */
  readonly minWidth: number;
  /** Headings of the parts before the chosen columns. */
  readonly headings: ReactNode;
  readonly rowProps: (row: Item) => HTMLAttributes<HTMLLIElement>;
  /** The parts of a row before its columns, or all of a card. */
  readonly children: (row: Item, narrow: boolean) => ReactNode;
  readonly footer?: ReactNode;
}

const ROW_HEIGHT = 57;
const rowClass =
  'px-4 grid grid-cols-(--tracks) items-center gap-x-4 absolute top-0 right-0 left-0 h-[var(--row)] border-b hover:bg-raise/55 in-data-narrow:grid-rows-[auto_auto] in-data-narrow:content-center in-data-narrow:gap-x-3';

/** A virtual list of rows with columns, or of cards if the list is narrow. */
export function RowList<Item>(props: Props<Item>) {
  const { list, rows, keyOf, columns, cursor, onEnd } = props;
  const ref = useRef<HTMLOListElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const narrow = useNarrow(box, props.minWidth);
  const keys = rows.map(keyOf);
  const rowHeight = narrow ? props.cardHeight : ROW_HEIGHT;
  const { items, height, margin, show } = useRows({ keys, rowHeight, list: ref, onEnd });
  useRowFocus({ ...cursor, keys, list: ref, show });

  const widths = usePreferences((preferences) => preferences[list].widths);
  const style = {
    '--tracks': narrow ? props.tracks.card : `${props.tracks.row} ${tracksOf(columns, widths)}`,
    '--row': `${String(rowHeight)}px`,
  } as CSSProperties;
  return (
    <div
      ref={box}
      className="surface min-w-0 [&_ol]:-mb-px [&_ol]:relative [&_ol]:overflow-clip [&_ol]:rounded-b-lg data-narrow:[&_ol]:rounded-lg"
      style={style}
      data-narrow={narrow || undefined}
    >
      {!narrow && (
        <Headings list={list} columns={columns} sort={props.sort} onSort={props.onSort}>
          {props.headings}
        </Headings>
      )}
      <ol ref={ref} aria-label={props.label} style={{ height }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const { className, ...rowProps } = props.rowProps(row);
          return (
            <li
              key={keys[index]}
              className={`${rowClass} ${className ?? ''}`}
              style={{ transform: `translateY(${String(start - margin)}px)` }}
              aria-setsize={props.total ?? -1}
              aria-posinset={index + 1}
              data-current={keys[index] === props.peek || undefined}
              {...rowProps}
            >
              {props.children(row, narrow)}
              {!narrow &&
                columns.map(({ id, right, cell }) => (
                  <div
                    key={id}
                    className="grid justify-items-start gap-px min-w-0 text-ink2 [&>*]:truncate [&>*]:max-w-full [&_code]:text-sm/[1.5] [&_code]:font-mono [&_code]:font-450 [&_code]:text-ink [&_small]:text-sm [&_small]:text-ink3 data-right:justify-items-end data-right:text-right"
                    data-column={id}
                    data-right={right || undefined}
                  >
                    {cell(row)}
                  </div>
                ))}
            </li>
          );
        })}
      </ol>
      {props.footer}
    </div>
  );
}
