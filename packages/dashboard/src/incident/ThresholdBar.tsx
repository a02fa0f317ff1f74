import type { DetectorId } from '@loopwatch/contract';
import styles from './ThresholdBar.module.css';

interface Props {
  readonly detector: DetectorId;
  /** Shares of the width, from 0 to 1. */
  readonly value: number;
  readonly threshold: number | undefined;
}

/** A bar with a mark at the threshold; hidden from screen readers, because the numbers are next to it. */
export function ThresholdBar({ detector, value, threshold }: Props) {
  return (
    <div className={styles['bar']} data-detector={detector} aria-hidden="true">
      <u style={{ width: `${String(100 * value)}%` }} />
      {threshold !== undefined && <s style={{ left: `${String(100 * threshold)}%` }} />}
    </div>
  );
}
