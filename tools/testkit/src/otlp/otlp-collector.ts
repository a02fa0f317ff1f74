import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { waitFor } from '../wait-for.ts';
import { decodeOtlp } from './otlp-messages.ts';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface CollectedSpan {
  readonly name: string;
  /** 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly attributes: Attributes;
  readonly resource: Attributes;
  /** Epoch ms. */
  readonly start: number;
  readonly end: number;
  readonly status: { readonly code?: number | undefined; readonly message?: string | undefined };
}

export interface CollectedPoint {
  readonly attributes: Attributes;
  /** Of a histogram: its sum. */
  readonly value: number;
  /** Of a histogram: how many values, and how many up to each bound and above the last one. */
  readonly count?: number;
  readonly bounds?: readonly number[];
  readonly counts?: readonly number[];
}

export interface CollectedMetric {
  readonly name: string;
  readonly description: string;
  readonly unit: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly resource: Attributes;
  readonly points: readonly CollectedPoint[];
}

/** An OpenTelemetry collector that keeps what it receives over HTTP, in protobuf or JSON. */
export interface OtlpCollector extends AsyncDisposable {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Of the latest request by each instance of a service. */
  readonly metrics: readonly CollectedMetric[];
  /** Headers of all requests, with their paths. */
  readonly requests: readonly { readonly path: string; readonly headers: IncomingHttpHeaders }[];
  /** The first span with this name that fulfils the condition, once it arrives. */
  span(name: string, condition?: (span: CollectedSpan) => boolean): Promise<CollectedSpan>;
  /** Status of its responses. */
  status: number;
}

/** @param port default: a free one */
export async function startOtlpCollector(port = 0): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const metrics = new Map<string, CollectedMetric[]>();
  const requests: { path: string; headers: IncomingHttpHeaders }[] = [];
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { url: path = '', headers } = request;
      requests.push({ path, headers });
      const signal = path.endsWith('/v1/traces') ? 'traces' : 'metrics';
      const type = headers['content-type'] ?? '';
      const message = type.includes('json') ? JSON.parse(body.toString('utf8')) : decodeOtlp(signal, body);
      if (collector.status < 300) {
        if (signal === 'traces') spans.push(...spansOf(message));
        else for (const [instance, found] of metricsOf(message)) metrics.set(instance, found);
      }
      response.writeHead(collector.status, { 'content-type': type }).end(type.includes('json') ? '{}' : '');
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const collector: OtlpCollector = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    spans,
    get metrics() {
      return [...metrics.values()].flat();
    },
    requests,
    status: 200,
    span: async (name, condition = () => true) => {
      const found = () => spans.find((span) => span.name === name && condition(span));
      await waitFor(() => found() !== undefined, {
        describe: () => `span ${name}; there are:\n${spans.map((span) => span.name).join('\n')}`,
      });
      return found() as CollectedSpan;
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

const number = z.coerce.number();
const attributes = z
  .array(
    z.object({
      key: z.string(),
      value: z.object({
        stringValue: z.string().optional(),
        boolValue: z.boolean().optional(),
        intValue: number.optional(),
        doubleValue: number.optional(),
      }),
    }),
  )
  .default([])
  .transform((pairs) =>
    Object.fromEntries(
      pairs.map(({ key, value: { stringValue, boolValue, intValue, doubleValue } }) => [
        key,
        stringValue ?? boolValue ?? intValue ?? doubleValue ?? '',
      ]),
    ),
  );
const resource = z.object({ attributes });
const span = z.object({
  name: z.string(),
  kind: z.number(),
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(''),
  attributes,
  startTimeUnixNano: number,
  endTimeUnixNano: number,
  status: z.object({ code: z.number().optional(), message: z.string().optional() }).default({}),
});
const traceRequest = z.object({
  resourceSpans: z.array(z.object({ resource, scopeSpans: z.array(z.object({ spans: z.array(span) })) })),
});
const numbers = z.object({
  dataPoints: z
    .array(z.object({ attributes, asDouble: number.optional(), asInt: number.optional() }))
    .default([]),
});
const histograms = z.object({
  dataPoints: z
    .array(
      z.object({
        attributes,
        count: number.default(0),
        sum: number.default(0),
        bucketCounts: z.array(number).default([]),
        explicitBounds: z.array(number).default([]),
      }),
    )
    .default([]),
});
const metricsRequest = z.object({
  resourceMetrics: z.array(
    z.object({
      resource,
      scopeMetrics: z.array(
        z.object({
          metrics: z.array(
            z.object({
              name: z.string(),
              description: z.string().default(''),
              unit: z.string().default(''),
              sum: numbers.optional(),
              gauge: numbers.optional(),
              histogram: histograms.optional(),
            }),
          ),
        }),
      ),
    }),
  ),
});

function spansOf(message: unknown): CollectedSpan[] {
  return traceRequest.parse(message).resourceSpans.flatMap(({ resource: from, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ startTimeUnixNano, endTimeUnixNano, ...rest }) => ({
        ...rest,
        resource: from.attributes,
        start: milliseconds(startTimeUnixNano),
        end: milliseconds(endTimeUnixNano),
      })),
  );
}

/** To the microsecond, since a number does not hold the nanoseconds since 1970. */
function milliseconds(nanoseconds: number): number {
  return Math.round(nanoseconds / 1e3) / 1e3;
}

/** By instance of the service. */
function metricsOf(message: unknown): [string, CollectedMetric[]][] {
  return metricsRequest.parse(message).resourceMetrics.map(({ resource: from, scopeMetrics }) => [
    String(from.attributes['service.instance.id']),
    scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .map(({ sum, gauge, histogram, ...rest }) => ({
        ...rest,
        resource: from.attributes,
        type: sum ? ('counter' as const) : gauge ? ('gauge' as const) : ('histogram' as const),
        points: [
          ...(sum ?? gauge ?? { dataPoints: [] }).dataPoints.map((point) => ({
            attributes: point.attributes,
            value: point.asDouble ?? point.asInt ?? Number.NaN,
          })),
          ...(histogram?.dataPoints ?? []).map((point) => ({
            attributes: point.attributes,
            value: point.sum,
            count: point.count,
            bounds: point.explicitBounds,
            counts: point.bucketCounts,
          })),
        ],
      })),
  ]);
}
