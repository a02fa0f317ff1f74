import { DetectorSquare } from '../controls/Chip.tsx';
import type { Series } from './chart-props.ts';

/** The sign of a series in the legend of a chart, in its color and pattern. */
export function SeriesSquare({ series: { color, detector } }: { readonly series: Series }) {
  if (detector !== undefined) return <DetectorSquare detector={detector} />;
  return (
    <i
      className="size-2.5 flex-none rounded-[2px] forced-color-adjust-none"
      style={{ background: `var(${color})` }}
    />
  );
}
