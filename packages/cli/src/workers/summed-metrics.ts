import { AggregatorRegistry, type Registry } from 'prom-client';
import { type Snapshot, snapshotSchema } from './worker-messages.ts';

/** The metrics of several processes as those of one, each put together in the way that it names itself. */
export function summedMetrics(snapshots: readonly Snapshot[]): Registry {
  return AggregatorRegistry.aggregate(snapshots.map((metrics) => metrics.map(kept)));
}

/**
 * prom-client leaves out what makes no sense as a sum, such as the start of a process. Here the samples of a process
 * carry its name, so that nothing is put together that is not one.
 */
function kept(metric: Snapshot[number]): Snapshot[number] {
  return metric.aggregator === 'omit' ? { ...metric, aggregator: 'first' } : metric;
}

/**
 * What goes on counting of a process that has ended: its counters and histograms, without its gauges. If they went with
 * it, the sums would fall, which Prometheus takes for a restart from zero: all that was counted before would count again.
 */
export async function withEnded(ended: Snapshot, last: Snapshot): Promise<Snapshot> {
  const counts = last.filter(({ type }) => type === 'counter' || type === 'histogram');
  return snapshotSchema.parse(await summedMetrics([ended, counts]).getMetricsAsJSON());
}
