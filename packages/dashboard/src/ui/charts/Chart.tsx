import { lazy, Suspense, useState } from 'react';
import { loadCode } from '../../lib/load-code.ts';
import styles from './Chart.module.css';
import type { ChartProps } from './chart-props.ts';

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
    <div className={styles['chart']}>
      {series.length > 1 && (
        <div className={styles['legend']} role="group" aria-label="Series">
          {series.map(({ id, name, color }) => (
            <button key={id} type="button" aria-pressed={!hidden.has(id)} onClick={() => toggle(id)}>
              <i style={{ background: `var(${color})` }} />
              {name}
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
