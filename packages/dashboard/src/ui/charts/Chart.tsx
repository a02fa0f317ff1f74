import { lazy, Suspense, useState } from 'react';
import { loadCode } from '../../lib/load-code.ts';
import type { ChartProps } from './chart-props.ts';
import { SeriesSquare } from './SeriesSquare.tsx';

const Plot = lazy(() => loadCode(() => import('./Plot.tsx')));

/** A chart over time; uPlot is loaded with the first one. */
export function Chart(props: ChartProps) {
  const { series, height = 190, text, times } = props;
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    setHidden(next);
  };
  const shown = series.filter(({ id }) => !hidden.has(id));
  return (
    <div className="grid grid-cols-1 gap-2">
      {series.length > 1 && (
        <div
          className="-ml-1.5 flex flex-wrap gap-x-1 gap-y-0.5 [&_button[aria-pressed=false]_i]:opacity-30"
          role="group"
          aria-label="Series"
        >
          {series.map((one) => (
            <button
              className="px-1.5 inline-flex items-center gap-1.25 min-h-6 rounded-sm text-xs text-ink2 hover:bg-raise aria-[pressed=false]:text-ink3 aria-[pressed=false]:line-through"
              key={one.id}
              type="button"
              aria-pressed={!hidden.has(one.id)}
              onClick={() => toggle(one.id)}
            >
              <SeriesSquare series={one} />
              {one.name}
            </button>
          ))}
        </div>
      )}
      <div role="img" aria-label={text} style={{ height }}>
        {times.length > 0 && (
          <Suspense>
            <Plot {...props} height={height} series={shown} />
          </Suspense>
        )}
      </div>
    </div>
  );
}
