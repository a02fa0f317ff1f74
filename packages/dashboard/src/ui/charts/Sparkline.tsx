interface Props {
  readonly values: readonly number[];
  /** Text alternative. */
  readonly text: string;
  /** A CSS variable of tokens.css. */
  readonly color?: string;
}

const WIDTH = 160;
const HEIGHT = 30;

/** A small line chart without axes. */
export function Sparkline({ values, text, color = '--color-accent' }: Props) {
  // A line needs two points.
  if (values.length < 2) return null;
  const max = Math.max(1, ...values);
  const step = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${(index * step).toFixed(1)} ${y(value, max)}`);
  return (
    <svg
      className="block w-full h-7.5"
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
      style={{ color: `var(${color})` }}
    >
      <path
        className="fill-current opacity-10"
        d={`M0 ${String(HEIGHT)}L${points.join('L')}L${String(WIDTH)} ${String(HEIGHT)}z`}
      />
      <path
        className="fill-none stroke-current stroke-[1.5] [vector-effect:non-scaling-stroke]"
        d={`M${points.join('L')}`}
      />
    </svg>
  );
}

function y(value: number, max: number): string {
  return (HEIGHT - 2 - (value / max) * (HEIGHT - 4)).toFixed(1);
}
