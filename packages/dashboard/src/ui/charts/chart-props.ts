import type { DetectorId } from '@loopwatch/contract';

/** One line, or one color of stacked bars. */
export interface Series {
  readonly id: string;
  readonly name: string;
  /** A CSS variable of tokens.css, such as `--accent`. */
  readonly color: string;
  /** Whose pattern the color has, since a hue alone does not tell parts of a stack apart for everyone. */
  readonly detector?: DetectorId;
  /** One per time; null if missing. */
  readonly values: readonly (number | null)[];
}

/** A moment to mark. */
export interface ChartMark {
  /** Epoch ms. */
  readonly at: number;
  readonly text: string;
}

export interface ChartProps {
  /** Epoch ms, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Stacked bars, or one line per series. */
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  /** Text alternative, one sentence. */
  readonly text: string;
  readonly height?: number;
  readonly marks?: readonly ChartMark[];
  /** Called when the user selects a time range by dragging. */
  readonly onZoom?: (from: number, to: number) => void;
}
