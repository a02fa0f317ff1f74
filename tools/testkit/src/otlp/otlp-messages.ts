import { otlpJson } from '@loopwatch/formats/otlp-protobuf';
import protobuf from 'protobufjs/light.js';

type Fields = Readonly<Record<string, readonly [type: string, id: number, rule?: 'repeated']>>;

/** The part of opentelemetry-proto 1.x for metrics that tests look at. */
const messages: Readonly<Record<string, Fields>> = {
  MetricsRequest: { resourceMetrics: ['ResourceMetrics', 1, 'repeated'] },
  ResourceMetrics: { resource: ['Resource', 1], scopeMetrics: ['ScopeMetrics', 2, 'repeated'] },
  ScopeMetrics: { metrics: ['Metric', 2, 'repeated'] },
  Metric: {
    name: ['string', 1],
    description: ['string', 2],
    unit: ['string', 3],
    gauge: ['Numbers', 5],
    sum: ['Numbers', 7],
    histogram: ['Histograms', 9],
  },
  Numbers: {
    dataPoints: ['NumberPoint', 1, 'repeated'],
    aggregationTemporality: ['int32', 2],
    isMonotonic: ['bool', 3],
  },
  NumberPoint: { attributes: ['KeyValue', 7, 'repeated'], asDouble: ['double', 4], asInt: ['sfixed64', 6] },
  Histograms: { dataPoints: ['HistogramPoint', 1, 'repeated'], aggregationTemporality: ['int32', 2] },
  HistogramPoint: {
    attributes: ['KeyValue', 9, 'repeated'],
    count: ['fixed64', 4],
    sum: ['double', 5],
    bucketCounts: ['fixed64', 6, 'repeated'],
    explicitBounds: ['double', 7, 'repeated'],
  },
  Resource: { attributes: ['KeyValue', 1, 'repeated'] },
  KeyValue: { key: ['string', 1], value: ['AnyValue', 2] },
  AnyValue: {
    stringValue: ['string', 1],
    boolValue: ['bool', 2],
    intValue: ['int64', 3],
    doubleValue: ['double', 4],
  },
};

/** Alternatives, of which a value of zero counts as given. */
const oneofs: Readonly<Record<string, readonly string[]>> = {
  AnyValue: Object.keys(messages['AnyValue'] ?? {}),
  NumberPoint: ['asDouble', 'asInt'],
};

const root = protobuf.Root.fromJSON({
  nested: Object.fromEntries(
    Object.entries(messages).map(([name, fields]) => [
      name,
      {
        fields: Object.fromEntries(
          Object.entries(fields).map(([field, [type, id, rule]]) => [
            field,
            { type, id, ...(rule && { rule }) },
          ]),
        ),
        ...(oneofs[name] && { oneofs: { value: { oneof: [...oneofs[name]] } } }),
      },
    ]),
  ),
});

const metricsRequest = root.lookupType('MetricsRequest');

/** Converts an export request from protobuf to OTLP/JSON. @throws if it is not one */
export function decodeOtlp(signal: 'traces' | 'metrics', body: Uint8Array): unknown {
  if (signal === 'metrics')
    return metricsRequest.toObject(metricsRequest.decode(body), { longs: Number, bytes: String });
  const json = otlpJson(body, signal);
  if (json === undefined) throw new Error('the body is not an export request of traces');
  return JSON.parse(json);
}
