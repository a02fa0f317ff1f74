import type { ReactNode } from 'react';

/** A column of a list: what it is called, how wide it may be, and what it shows. */
export interface Column<Item> {
  readonly id: string;
  readonly name: string;
  /** As in `grid-template-columns`. */
  readonly width: string;
  readonly right?: boolean;
  /** What the list is sorted by when its heading is pressed, downwards. */
  readonly sort?: string;
  readonly cell: (item: Item) => ReactNode;
}

/** Every column of a list, and the ids of those that are shown unless the reader chose others. */
export interface Columns<Item> {
  readonly all: readonly Column<Item>[];
  readonly standard: readonly string[];
}

/** The chosen ones in their order; names that are not known any more are left out. */
export function chosenColumns<Item>(
  { all, standard }: Columns<Item>,
  chosen: readonly string[] | null,
): readonly Column<Item>[] {
  return (chosen ?? standard).flatMap((id) => all.find((column) => column.id === id) ?? []);
}

/** The tracks of a grid, with the widths that the reader gave instead. */
export function tracksOf(
  columns: readonly Pick<Column<never>, 'id' | 'width'>[],
  widths: Readonly<Record<string, number>>,
): string {
  return columns
    .map(({ id, width }) => (widths[id] === undefined ? width : `${String(widths[id])}px`))
    .join(' ');
}
