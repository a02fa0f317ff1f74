import type { CollectedMetric } from './otlp-collector.ts';

/**
 * The series of collected metrics as a server of Prometheus would show them, `name{label="value"}` with their values. Labels are
 * sorted.
 */
export function seriesOfMetrics(metrics: readonly CollectedMetric[]): Map<string, number> {
  const series = new Map<string, number>();
  for (const { name, points } of metrics) {
    for (const { attributes, value, count, bounds, counts } of points) {
      if (count === undefined) {
        series.set(seriesName(name, attributes), value);
        continue;
      }
      let below = 0;
      for (const [index, inBucket] of (counts ?? []).entries()) {
        below += inBucket;
        series.set(seriesName(`${name}_bucket`, { ...attributes, le: bounds?.[index] ?? '+Inf' }), below);
      }
      series.set(seriesName(`${name}_sum`, attributes), value);
      series.set(seriesName(`${name}_count`, attributes), count);
    }
  }
  return series;
}

/** The series of a response of `/metrics`; those without a number are left out. */
export function seriesOfText(text: string): Map<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === 'Nan') continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, label = '', escapedText = '']) => [
        label,
        escapedText.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped)),
      ],
    );
    series.set(seriesName(name, Object.fromEntries(pairs)), Number(value));
  }
  return series;
}

function seriesName(name: string, labels: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(labels)
    .map(([label, value]) => `${label}="${String(value)}"`)
    .sort();
  return `${name}{${sorted.join(',')}}`;
}
