import type { ReactNode } from 'react';
import { classNames } from '../lib/class-names.ts';
import type { ListName } from '../lib/preferences.ts';
import { Icon } from '../ui/lib/icons.tsx';
import { ColumnWidth } from './ColumnWidth.tsx';
import type { Column } from './column.ts';
import styles from './Headings.module.css';
import rowList from './RowList.module.css';

interface Props {
  readonly list: ListName;
  readonly columns: readonly Omit<Column<never>, 'cell'>[];
  /** A column's `sort`, with a minus for descending. */
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  /** Headings of the parts of a row that are always shown. */
  readonly children: ReactNode;
}

/** Column headings that sort and resize. */
export function Headings({ list, columns, sort, onSort, children }: Props) {
  return (
    <div className={classNames(rowList['columns'], styles['columns'])}>
      {children}
      {columns.map((column) => (
        <div key={column.id} className={styles['heading']} data-right={column.right || undefined}>
          <ColumnWidth list={list} column={column} />
          <Heading column={column} sort={sort} onSort={onSort} />
        </div>
      ))}
    </div>
  );
}

interface HeadingProps extends Pick<Props, 'sort' | 'onSort'> {
  readonly column: Omit<Column<never>, 'cell'>;
}

function Heading({ column: { name, sort: by }, sort, onSort }: HeadingProps) {
  if (by === undefined) return <span>{name}</span>;
  const down = sort === `-${by}`;
  const up = sort === by;
  return (
    <button
      type="button"
      aria-label={`Sort by ${name.toLowerCase()}${down ? ', sorted descending' : up ? ', sorted ascending' : ''}`}
      onClick={() => onSort(down && by === 'detectedAt' ? by : `-${by}`)}
    >
      {(down || up) && <Icon name={down ? 'down' : 'up'} size={10} />}
      {name}
    </button>
  );
}
