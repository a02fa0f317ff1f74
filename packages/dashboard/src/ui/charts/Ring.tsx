import type { DetectorId } from '@loopwatch/contract';
import { type RingData, ringLabel, ringShape, ringText } from './ring-arcs.ts';

interface Props extends RingData {
  readonly detector: DetectorId;
  readonly size?: 'row' | 'large';
  /** Whether the incident is resolved. */
  readonly over?: boolean;
}

const sizes = {
  row: { box: 32, radius: 12.5, stroke: 2.2, dot: 2.7, dotStroke: 1.7 },
  large: { box: 84, radius: 35, stroke: 3.4, dot: 4.8, dotStroke: 2.6 },
} as const;

export function Ring({ detector, size = 'row', over = false, ...data }: Props) {
  const { box, radius, stroke, dot, dotStroke } = sizes[size];
  const center = box / 2;
  const { arc, dots } = ringShape(data, center, radius);
  const isShare = detector === 'budget';
  const label = ringLabel(data.count, isShare);
  const fontSize = box * (label.length > 4 ? 0.2 : label.length > 3 ? 0.24 : label.length > 2 ? 0.29 : 0.35);
  return (
    <svg
      className="group/ring block flex-none overflow-visible"
      data-detector={detector}
      data-over={over || undefined}
      width={box}
      height={box}
      viewBox={`0 0 ${String(box)} ${String(box)}`}
      role="img"
      aria-label={ringText(data, isShare)}
    >
      <circle className="fill-none stroke-line2" cx={center} cy={center} r={radius} strokeWidth={stroke} />
      <path
        className="fill-none stroke-(--hue) [stroke-linecap:round] group-data-over/ring:opacity-55"
        d={arc}
        strokeWidth={stroke}
      />
      {dots.map(({ x, y }) => (
        <circle
          key={`${x.toFixed(1)},${y.toFixed(1)}`}
          className="fill-panel stroke-(--hue) group-data-over/ring:opacity-55 group-data-over/ring:fill-panel"
          cx={x}
          cy={y}
          r={dot}
          strokeWidth={dotStroke}
        />
      ))}
      <text
        className="fill-ink font-650 [text-anchor:middle] tracking-[-0.02em] group-data-over/ring:fill-ink2"
        x={center}
        y={center + fontSize * 0.36}
        fontSize={fontSize}
      >
        {label}
      </text>
    </svg>
  );
}
