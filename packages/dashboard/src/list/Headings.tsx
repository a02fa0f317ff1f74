import type { ReactNode } from 'react';
import type { ListName } from '../lib/preferences.ts';
import { Icon } from '../ui/lib/icons.tsx';
import { ColumnWidth } from './ColumnWidth.tsx';
import type { Column } from './column.ts';

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
    <div className="px-4 grid grid-cols-(--tracks) items-center gap-x-4 sticky z-2 top-0 min-h-8.5 border-b rounded-t-lg bg-panel text-xs font-550 text-ink3 [&_[data-right]]:text-right [&_button]:inline-flex [&_button]:items-center [&_button]:gap-0.75 [&_button]:min-h-6 [&_button]:font-550 [&_button]:hover:text-ink">
      {children}
      {columns.map((column) => (
        <div
          key={column.id}
          className="relative flex min-w-0 data-right:justify-end data-right:text-right"
          data-right={column.right || undefined}
        >
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
