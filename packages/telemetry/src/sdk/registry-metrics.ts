import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import { millisToHrTime } from '@opentelemetry/core';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { Registry } from 'prom-client';

type Metric = Awaited<ReturnType<Registry['getMetricsAsJSON']>>[number];
type MetricValue = Metric['values'][number] & { readonly metricName?: string };

/** Units by the ending that Prometheus gives the names of such metrics; other metrics count things. */
const units: readonly (readonly [ending: RegExp, unit: string])[] = [
  [/_seconds(?:_total)?$/, 's'],
  [/_bytes(?:_total)?$/, 'By'],
  [/_ratio$/, '1'],
];

/**
 * Reads the metrics of a registry when they are due to be sent. Names stay as they are in `/metrics`, so that the same
 * queries work wherever they are stored; labels become attributes.
 */
export class RegistryMetrics implements MetricProducer {
  readonly #registry: Registry;
  /** Counters count from here. */
  readonly #startTime: HrTime = millisToHrTime(performance.timeOrigin);
  readonly #scope: { readonly name: string; readonly version: string };

  constructor(registry: Registry, scope: { readonly name: string; readonly version: string }) {
    this.#registry = registry;
    this.#scope = scope;
  }

  async collect(): Promise<CollectionResult> {
    const errors: unknown[] = [];
    let metrics: MetricData[] = [];
    try {
      const times = { startTime: this.#startTime, endTime: millisToHrTime(Date.now()) };
      metrics = (await this.#registry.getMetricsAsJSON()).flatMap(
        (metric) => metricData(metric, times) ?? [],
      );
    } catch (error) {
      errors.push(error);
    }
    const scopeMetrics = metrics.length === 0 ? [] : [{ scope: this.#scope, metrics }];
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors };
  }
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

/** @returns undefined for a summary, which OpenTelemetry has no instrument for; Loopwatch has none */
function metricData({ name, help, type, values }: Metric, times: Times): MetricData | undefined {
  const common = {
    descriptor: {
      name,
      description: help,
      unit: units.find(([ending]) => ending.test(name))?.[1] ?? '',
      valueType: ValueType.DOUBLE,
    },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  // The types of prom-client say that `type` is a number.
  switch (String(type)) {
    case 'counter':
      return {
        ...common,
        dataPointType: DataPointType.SUM,
        isMonotonic: true,
        dataPoints: numberPoints(values, times),
      };
    case 'gauge':
      return { ...common, dataPointType: DataPointType.GAUGE, dataPoints: numberPoints(values, times) };
    case 'histogram':
      return {
        ...common,
        dataPointType: DataPointType.HISTOGRAM,
        dataPoints: histogramPoints(values, times),
      };
    default:
      return undefined;
  }
}

/** A gauge without a value yet is NaN, which JSON cannot express. */
function numberPoints(values: readonly MetricValue[], times: Times): DataPoint<number>[] {
  return values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...times, attributes: attributesOf(labels), value }));
}

/** The series of one histogram follow each other: its buckets, each with the counts of the smaller ones, sum and count. */
function histogramPoints(values: readonly MetricValue[], times: Times): DataPoint<Histogram>[] {
  const points: DataPoint<Histogram>[] = [];
  let boundaries: number[] = [];
  let counts: number[] = [];
  let below = 0;
  let sum = 0;
  for (const { metricName = '', labels, value } of values) {
    if (metricName.endsWith('_bucket')) {
      const { le } = labels as { readonly le?: string | number };
      if (typeof le === 'number') boundaries.push(le);
      counts.push(value - below);
      below = value;
    } else if (metricName.endsWith('_sum')) sum = value;
    else {
      const histogram = { buckets: { boundaries, counts }, sum, count: value };
      points.push({ ...times, attributes: attributesOf(labels), value: histogram });
      [boundaries, counts, below] = [[], [], 0];
    }
  }
  return points;
}

/** All labels of Prometheus are texts. */
function attributesOf(labels: MetricValue['labels']): Attributes {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));
}
