import protobuf from 'protobufjs/light.js';

type Fields = Readonly<Record<string, readonly [type: string, id: number, rule?: 'repeated']>>;

/** The part of opentelemetry-proto 1.x that tests look at. */
const messages: Readonly<Record<string, Fields>> = {
  TraceRequest: { resourceSpans: ['ResourceSpans', 1, 'repeated'] },
  ResourceSpans: { resource: ['Resource', 1], scopeSpans: ['ScopeSpans', 2, 'repeated'] },
  ScopeSpans: { spans: ['Span', 2, 'repeated'] },
  Span: {
    traceId: ['bytes', 1],
    spanId: ['bytes', 2],
    parentSpanId: ['bytes', 4],
    name: ['string', 5],
    kind: ['int32', 6],
    startTimeUnixNano: ['fixed64', 7],
    endTimeUnixNano: ['fixed64', 8],
    attributes: ['KeyValue', 9, 'repeated'],
    status: ['Status', 15],
  },
  Status: { message: ['string', 2], code: ['int32', 3] },
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

/** Decodes an export request in protobuf. Ids are hexadecimal, as in OTLP/JSON; other numbers are numbers. */
export function decodeOtlp(signal: 'traces' | 'metrics', body: Uint8Array): unknown {
  const type = root.lookupType(signal === 'traces' ? 'TraceRequest' : 'MetricsRequest');
  const plain = type.toObject(type.decode(body), { longs: Number, bytes: String });
  return JSON.parse(JSON.stringify(plain), (key: string, value: unknown) =>
    /^(?:traceId|spanId|parentSpanId)$/.test(key) && typeof value === 'string'
      ? Buffer.from(value, 'base64').toString('hex')
      : value,
  );
}
