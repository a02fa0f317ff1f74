import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { omit } from '../lib/omit.ts';
import { type ListName, preferForList, usePreferences } from '../lib/preferences.ts';
import type { Column } from './column.ts';

const MIN = 56;
const MAX = 480;
const STEP = 16;

interface Props {
  readonly list: ListName;
  readonly column: Pick<Column<never>, 'id' | 'name' | 'width'>;
}

/** Resize handle at the left edge of a column heading, for pointer and arrow keys; the width is stored. */
export function ColumnWidth({ list, column: { id, name, width: standard } }: Props) {
  const width = usePreferences((preferences) => preferences[list].widths[id]);
  const edge = useRef<HTMLSpanElement>(null);
  const drag = useRef<{ readonly x: number; readonly width: number }>(undefined);

  const measured = () => edge.current?.parentElement?.getBoundingClientRect().width ?? MIN;
  const set = (next: number | undefined) => {
    const others = omit(usePreferences.getState()[list].widths, id);
    const bounded = next === undefined ? {} : { [id]: Math.round(Math.max(MIN, Math.min(MAX, next))) };
    preferForList(list, { widths: { ...others, ...bounded } });
  };
  const begin = (event: PointerEvent<HTMLSpanElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, width: measured() };
  };
  const move = (event: PointerEvent) => {
    if (drag.current !== undefined) set(drag.current.width + drag.current.x - event.clientX);
  };
  const end = () => {
    drag.current = undefined;
  };
  const press = (event: KeyboardEvent) => {
    const steps = { ArrowLeft: 1, ArrowRight: -1 }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    set(measured() + steps * STEP);
  };
  return (
    <span
      ref={edge}
      className="absolute top-1.5 bottom-1.5 left-[calc(16px_/_-2_-_4px)] w-2.25 cursor-col-resize touch-none after:absolute after:top-0.5 after:bottom-0.5 after:left-1 after:w-px after:bg-transparent hover:after:bg-accent focus-visible:after:bg-accent active:after:bg-accent"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${name.toLowerCase()}`}
      aria-valuemin={MIN}
      aria-valuemax={MAX}
      aria-valuenow={width ?? Number(/\d+(?=px\)?$)/.exec(standard)?.[0])}
      aria-valuetext={width === undefined ? 'default' : `${String(width)} pixels`}
      title="Drag or use the arrow keys to resize; double-click to reset"
      tabIndex={0}
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => set(undefined)}
      onKeyDown={press}
    />
  );
}
