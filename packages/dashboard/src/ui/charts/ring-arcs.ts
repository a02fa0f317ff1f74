/** Shape of the ring: one dot per step of the cycle, and an arc that shows the count relative to the threshold. */
export interface RingData {
  readonly count: number;
  readonly threshold: number;
  /** Steps of the cycle, 1 for plain repetition. */
  readonly period: number;
}

/** The arc is full at this many times the threshold. */
const FULL_AT = 3;
const MAX_DOTS = 8;

/** Text alternative of the ring. @param isShare whether the count is a percentage, as that of a budget */
export function ringText({ count, threshold, period }: RingData, isShare: boolean): string {
  if (isShare) return `${String(count)}% used`;
  const what = period > 1 ? `cycle of ${String(period)} seen` : 'seen';
  return `${what} ${String(count)} ${count === 1 ? 'time' : 'times'}, threshold ${String(threshold)}`;
}

export interface RingShape {
  /** SVG path of the arc, from twelve o'clock. */
  readonly arc: string;
  readonly dots: readonly { readonly x: number; readonly y: number }[];
}

export function ringShape({ count, threshold, period }: RingData, center: number, radius: number): RingShape {
  const part = Math.min(0.999, count / (Math.max(1, threshold) * FULL_AT));
  const end = point(part, center, radius);
  const large = part > 0.5 ? '1' : '0';
  const steps = Math.min(MAX_DOTS, Math.max(1, period));
  return {
    arc: `M${String(center)} ${String(center - radius)}A${String(radius)} ${String(radius)} 0 ${large} 1 ${fixed(end.x)} ${fixed(end.y)}`,
    dots: Array.from({ length: steps }, (_, step) => point(step / steps, center, radius)),
  };
}

/** @param part of a full turn, clockwise from twelve o'clock */
function point(part: number, center: number, radius: number): { x: number; y: number } {
  const angle = 2 * Math.PI * part - Math.PI / 2;
  return { x: center + radius * Math.cos(angle), y: center + radius * Math.sin(angle) };
}

function fixed(value: number): string {
  return value.toFixed(2);
}

/** The count as a short label: 999, 1k, 12k, 3M, 139%. */
export function ringLabel(count: number, isShare: boolean): string {
  if (isShare) return `${ringLabel(count, false)}%`;
  const [unit = 1, sign = ''] = units.find(([least]) => count >= least) ?? [];
  return `${String(Math.floor(count / unit))}${sign}`;
}

const units = [
  [1_000_000_000, 'B'],
  [1_000_000, 'M'],
  [1_000, 'k'],
] as const;
