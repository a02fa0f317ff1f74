import type { ReactNode } from 'react';

/** A column of a list. */
export interface Column<Item> {
  readonly id: string;
  readonly name: string;
  /** A `grid-template-columns` track. */
  readonly width: string;
  readonly right?: boolean;
  /** Sort key, if the column can be sorted. */
  readonly sort?: string;
  readonly cell: (item: Item) => ReactNode;
}

/** All columns of a list, and the ids of the default ones. */
export interface Columns<Item> {
  readonly all: readonly Column<Item>[];
  readonly standard: readonly string[];
}

/** The chosen columns in order; skips ids that no longer exist. */
export function chosenColumns<Item>(
  { all, standard }: Columns<Item>,
  chosen: readonly string[] | null,
): readonly Column<Item>[] {
  return (chosen ?? standard).flatMap((id) => all.find((column) => column.id === id) ?? []);
}

/** `grid-template-columns` with the user's widths. */
export function tracksOf(
  columns: readonly Pick<Column<never>, 'id' | 'width'>[],
  widths: Readonly<Record<string, number>>,
): string {
  return columns
    .map(({ id, width }) => (widths[id] === undefined ? width : `${String(widths[id])}px`))
    .join(' ');
}
