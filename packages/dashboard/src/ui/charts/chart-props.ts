/** One line or one colour of bars. */
export interface Series {
  readonly id: string;
  readonly name: string;
  /** A custom property of the tokens, such as `--accent`. */
  readonly color: string;
  /** One a point in time; null where there is none. */
  readonly values: readonly (number | null)[];
}

export interface ChartProps {
  /** Epoch ms, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Bars on top of each other, or a line each. */
  readonly kind: 'bars' | 'lines';
  readonly format: (value: number) => string;
  /** What it shows in a sentence, for those who do not see it. */
  readonly text: string;
  readonly height?: number;
  /** A span was drawn with the mouse. */
  readonly onZoom?: (from: number, to: number) => void;
}
