import type { DetectorId } from '@loopwatch/contract';

interface Props {
  readonly detector: DetectorId;
  /** Shares of the width, from 0 to 1. */
  readonly value: number;
  readonly threshold: number | undefined;
}

/** A bar with a mark at the threshold; hidden from screen readers, because the numbers are next to it. */
export function ThresholdBar({ detector, value, threshold }: Props) {
  return (
    <div className="relative h-2 rounded-full bg-raise" data-detector={detector} aria-hidden="true">
      <u
        className="absolute top-0 bottom-0 left-0 rounded-full bg-(--hue) transition-[width] duration-240 ease-out"
        style={{ width: `${String(100 * value)}%` }}
      />
      {threshold !== undefined && (
        <s
          className="absolute -top-1 -bottom-1 w-0.5 rounded-[1px] bg-ink shadow-[0_0_0_1.5px_var(--color-panel)]"
          style={{ left: `${String(100 * threshold)}%` }}
        />
      )}
    </div>
  );
}
