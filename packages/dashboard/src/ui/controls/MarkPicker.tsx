import { type KeyboardEvent, type MouseEvent, type ReactNode, useId, useRef, useState } from 'react';

/** A mark on a line, with a tooltip. */
export interface PickedMark {
  /** Position as a share of the line's width. */
  readonly at: number;
  readonly text: string;
  /** Absent if there is nothing to open. */
  readonly eventIndex: number | undefined;
}

/** Pointer movement in pixels that makes a click a drag. */
const CLICK_PX = 6;

interface Props {
  /** Accessible name of the line. */
  readonly label: string;
  /** From left to right. */
  readonly marks: readonly PickedMark[];
  /** Opens the session at an event. */
  readonly onOpen?: ((eventIndex: number) => void) | undefined;
  readonly children: ReactNode;
}

/**
 * Makes the marks of a drawing accessible: a tooltip for the nearest one, arrow keys to move between them, click or Enter
 * to open one. All marks are one tab stop.
 */
export function MarkPicker({ label, marks, onOpen, children }: Props) {
  const id = useId();
  const [picked, setPicked] = useState<number>();
  const pressedAt = useRef(0);
  const index = picked === undefined ? undefined : Math.min(picked, marks.length - 1);
  const mark = index === undefined ? undefined : marks[index];
  const open = (one: PickedMark | undefined) => {
    if (one?.eventIndex !== undefined) onOpen?.(one.eventIndex);
  };
  const keys = (event: KeyboardEvent) => {
    const from = index ?? 0;
    const to: Partial<Record<string, number>> = {
      ArrowRight: from + 1,
      ArrowUp: from + 1,
      ArrowLeft: from - 1,
      ArrowDown: from - 1,
      Home: 0,
      End: marks.length - 1,
    };
    const next = to[event.key];
    if (next !== undefined) setPicked(Math.max(0, Math.min(marks.length - 1, next)));
    else if (event.key === 'Enter') open(mark);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const nearest = ({ clientX, currentTarget }: MouseEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const share = width === 0 ? 0 : (clientX - left) / width;
    return marks.reduce(
      (best, { at }, i) => (Math.abs(at - share) < Math.abs((marks[best]?.at ?? 2) - share) ? i : best),
      0,
    );
  };
  if (marks.length === 0) return <>{children}</>;
  return (
    <div
      className="relative cursor-pointer rounded-md"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={marks.length}
      aria-valuenow={(index ?? 0) + 1}
      aria-valuetext={(mark ?? marks[0])?.text}
      aria-describedby={id}
      onKeyDown={keys}
      onFocus={() => setPicked(index ?? 0)}
      onBlur={() => setPicked(undefined)}
      onMouseMove={(event) => setPicked(nearest(event))}
      onMouseLeave={() => setPicked(undefined)}
      onPointerDownCapture={({ clientX }) => {
        pressedAt.current = clientX;
      }}
      onClick={(event) => {
        if (Math.abs(event.clientX - pressedAt.current) <= CLICK_PX) open(marks[nearest(event)]);
      }}
    >
      {children}
      <span id={id} className="sr-only">
        Arrow keys move between marks{onOpen === undefined ? '' : ', Enter opens the session there'}.
      </span>
      {mark !== undefined && (
        <>
          <i
            className="absolute top-0 bottom-0 w-px bg-accent pointer-events-none"
            style={{ left: `${String(mark.at * 100)}%` }}
          />
          <span
            className="px-2 py-1 border border-line2 absolute z-2 top-full max-w-[min(100%,420px)] rounded-md bg-panel text-sm text-ink wrap-anywhere pointer-events-none"
            style={
              mark.at > 0.5
                ? { right: `${String((1 - mark.at) * 100)}%` }
                : { left: `${String(mark.at * 100)}%` }
            }
          >
            {mark.text}
          </span>
        </>
      )}
    </div>
  );
}
