import { type PointerEvent, useState } from 'react';

/** A span as shares of a width. */
export interface DragSpan {
  readonly from: number;
  readonly to: number;
}

/** A shorter drag counts as a click. */
const LEAST = 0.01;

/** Selects a span by dragging. */
export function useDragSpan(onSpan: (span: DragSpan) => void) {
  const [drag, setDrag] = useState<{ readonly begin: number; readonly end: number }>();
  const span = drag && { from: Math.min(drag.begin, drag.end), to: Math.max(drag.begin, drag.end) };
  const handlers = {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const at = share(event);
      setDrag({ begin: at, end: at });
    },
    onPointerMove: (event: PointerEvent) => {
      if (drag !== undefined) setDrag({ begin: drag.begin, end: share(event) });
    },
    onPointerUp: () => {
      setDrag(undefined);
      if (span !== undefined && span.to - span.from > LEAST) onSpan(span);
    },
    onPointerCancel: () => setDrag(undefined),
  };
  return { span, handlers };
}

function share({ clientX, currentTarget }: PointerEvent): number {
  const { left, width } = currentTarget.getBoundingClientRect();
  return Math.max(0, Math.min(1, (clientX - left) / width));
}
