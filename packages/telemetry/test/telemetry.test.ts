import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import {
  type OtlpCollector,
  seriesOfMetrics,
  seriesOfText,
  startOtlpCollector,
  waitFor,
} from '@loopwatch/testkit';
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, trace } from '@opentelemetry/api';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { inSpan, readTelemetrySettings, startTelemetry, type Telemetry, tracer } from '../src/index.ts';

interface Line {
  readonly level: string;
  readonly message: string;
}

/** Telemetry that sends to a collector, with what it logs. */
async function connect(
  url: string,
  environment: Readonly<Record<string, string>> = {},
  stopLimitMs?: number,
): Promise<{ telemetry: Telemetry; lines: Line[] }> {
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...environment };
  // The SDK reads some of them itself.
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const settings = readTelemetrySettings(variables);
  if (settings === undefined) throw new Error('telemetry is off');
  const lines: Line[] = [];
  const telemetry = await startTelemetry({
    settings,
    serviceName: 'loopwatch-test',
    version: '1.2.3',
    log: (level, message) => lines.push({ level, message }),
    ...(stopLimitMs !== undefined && { stopLimitMs }),
  });
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await telemetry.stop();
  });
  return { telemetry, lines };
}

async function collector(port?: number): Promise<OtlpCollector> {
  const started = await startOtlpCollector(port);
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

describe.each(['http/protobuf', 'http/json'])('%s', (protocol) => {
  it(`telemetry: spans arrive with their parents, attributes and the resource, over ${protocol}`, async () => {
    const received = await collector();
    const { telemetry } = await connect(received.url, {
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret',
      OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    });
    await inSpan('batch', { kind: SpanKind.CONSUMER, attributes: { records: 3, left: undefined } }, () =>
      inSpan('commit', { kind: SpanKind.CLIENT }, (span) => {
        span.setAttribute('done', true);
        return Promise.resolve();
      }),
    );
    expect(await telemetry.stop()).toBe(true);
    const [commit, batch] = received.spans;
    expect(batch).toMatchObject({ name: 'batch', kind: 5, parentSpanId: '', attributes: { records: 3 } });
    expect(commit).toMatchObject({
      name: 'commit',
      kind: 3,
      traceId: batch?.traceId,
      parentSpanId: batch?.spanId,
      attributes: { done: true },
      resource: {
        'service.name': 'loopwatch-test',
        'service.version': '1.2.3',
        'deployment.environment.name': 'test',
      },
    });
    expect(received.requests).toMatchObject([
      { path: '/v1/traces', headers: { authorization: 'Bearer secret', 'content-encoding': 'gzip' } },
    ]);
  });

  it(`telemetry: metrics equal those of the registry, over ${protocol}`, async () => {
    const received = await collector();
    const { telemetry } = await connect(received.url, { OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
    const registry = exampleRegistry();
    telemetry.exportMetrics(registry);
    await telemetry.stop();
    expect(seriesOfMetrics(received.metrics)).toEqual(seriesOfText(await registry.metrics()));
    expect(
      received.metrics.map(({ name, type, unit, description }) => [name, type, unit, description]),
    ).toEqual([
      ['calls_total', 'counter', '', 'Calls.'],
      ['cpu_seconds_total', 'counter', 's', 'Time.'],
      ['memory_bytes', 'gauge', 'By', 'Memory.'],
      ['idle', 'gauge', '', 'Idle.'],
      ['no_value_yet', 'gauge', '', 'Not set.'],
      ['wait_seconds', 'histogram', 's', 'Waits.'],
    ]);
  });
});

function exampleRegistry(): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ worker: '2' });
  const registers = [registry];
  const calls = new Counter({
    name: 'calls_total',
    help: 'Calls.',
    labelNames: ['api', 'status'],
    registers,
  });
  calls.inc({ api: 'a "quoted" one', status: 200 }, 3);
  calls.inc({ api: 'b', status: 500 });
  new Counter({ name: 'cpu_seconds_total', help: 'Time.', registers }).inc(0.25);
  new Gauge({
    name: 'memory_bytes',
    help: 'Memory.',
    registers,
    collect() {
      this.set(4096);
    },
  });
  new Gauge({ name: 'idle', help: 'Idle.', registers }).set(0);
  new Gauge({ name: 'no_value_yet', help: 'Not set.', registers }).set(Number.NaN);
  const waits = new Histogram({
    name: 'wait_seconds',
    help: 'Waits.',
    labelNames: ['kind'],
    buckets: [0.1, 1, 10],
    registers,
  });
  for (const seconds of [0.05, 0.1, 0.7, 20, 30]) waits.observe({ kind: 'long' }, seconds);
  waits.observe({ kind: 'short' }, 2);
  return registry;
}

it('telemetry: each registry of a process is a separate instance, with metrics of the same name', async () => {
  const received = await collector();
  const { telemetry } = await connect(received.url);
  for (const value of [1, 2]) {
    const registry = new Registry();
    new Gauge({ name: 'sessions', help: 'Sessions.', registers: [registry] }).set(value);
    telemetry.exportMetrics(registry);
  }
  await telemetry.stop();
  expect(received.metrics.map(({ points }) => points[0]?.value).sort()).toEqual([1, 2]);
});

/** A span that continues the trace of a request, and the headers that continue it. */
function continued(parent: Record<string, string>): { span: Span; headers: Record<string, string> } {
  const span = tracer().startSpan('request', {}, propagation.extract(ROOT_CONTEXT, parent));
  const headers = {};
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), headers);
  return { span, headers };
}

describe('traces', () => {
  it('traces: continue that of an incoming request, and pass it on', async () => {
    const received = await collector();
    const { telemetry } = await connect(received.url);
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const parent = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'vendor=1' };
    const { span, headers } = continued(parent);
    const { spanId } = span.spanContext();
    expect(headers).toEqual({ traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'vendor=1' });
    span.end();
    await telemetry.stop();
    expect(received.spans).toMatchObject([{ traceId, parentSpanId: 'b7ad6b7169203331' }]);
  });

  it('traces: record nothing if the caller does not, and propagate that', async () => {
    const received = await collector();
    const { telemetry } = await connect(received.url);
    const { span, headers } = continued({
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
    });
    expect(headers['traceparent']).toMatch(/-00$/);
    span.end();
    await telemetry.stop();
    expect(received.spans).toEqual([]);
  });

  it('traces: an invalid traceparent starts a new trace', async () => {
    await connect((await collector()).url);
    expect(continued({ traceparent: 'nonsense' }).span.spanContext().traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it('traces: record nothing if the sampler drops all', async () => {
    const received = await collector();
    const { telemetry } = await connect(received.url, { OTEL_TRACES_SAMPLER: 'always_off' });
    await inSpan('batch', {}, () => Promise.resolve());
    await telemetry.stop();
    expect(received.spans).toEqual([]);
  });

  it('traces: a failure marks the span with its class or code, and is rethrown', async () => {
    const received = await collector();
    const { telemetry } = await connect(received.url);
    const failing = inSpan('write', {}, () => Promise.reject(new RangeError('too much')));
    await expect(failing).rejects.toThrow('too much');
    await telemetry.stop();
    expect(received.spans).toMatchObject([
      { name: 'write', attributes: { 'error.type': 'RangeError' }, status: { code: 2, message: 'too much' } },
    ]);
  });

  it('traces: work that outlives its span does not belong to it', async () => {
    await connect((await collector()).url);
    const span = tracer().startSpan('request');
    const seen: (Span | undefined)[] = [];
    await context.with(trace.setSpan(ROOT_CONTEXT, span), async () => {
      seen.push(trace.getActiveSpan());
      span.end();
      await Promise.resolve();
      seen.push(trace.getActiveSpan());
    });
    expect(seen).toEqual([span, undefined]);
  });

  it('traces: until the SDK is registered, and once it has stopped, only the work runs', async () => {
    const { telemetry } = await connect((await collector()).url);
    await telemetry.stop();
    const isRecording = await inSpan('batch', {}, (span) => Promise.resolve(span.isRecording()));
    expect([isRecording, trace.getActiveSpan()]).toEqual([false, undefined]);
  });
});

describe('a collector that does not answer', () => {
  it('telemetry: is reported once, and when it answers again', async () => {
    const received = await collector();
    received.status = 403;
    const { telemetry, lines } = await connect(received.url, {
      OTEL_METRIC_EXPORT_INTERVAL: '20',
      OTEL_TRACES_EXPORTER: 'otlp',
    });
    telemetry.exportMetrics(exampleRegistry());
    tracer().startSpan('batch').end();
    await waitFor(() => received.requests.length >= 3);
    expect(lines).toEqual([
      {
        level: 'warn',
        message: `OpenTelemetry metrics cannot be sent to ${received.url}/v1/metrics: HTTP 403 Forbidden. They are lost until it answers; all other work goes on.`,
      },
    ]);
    received.status = 200;
    await waitFor(() => lines.length === 2);
    expect(lines[1]).toEqual({
      level: 'info',
      message: `OpenTelemetry metrics are sent to ${received.url}/v1/metrics again`,
    });
  });

  it('telemetry: names the reason if nothing listens, and hints at the port of gRPC', async () => {
    const { telemetry, lines } = await connect('http://user:secret@127.0.0.1:4317', {
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    });
    tracer().startSpan('batch').end();
    await telemetry.stop();
    expect(lines[0]?.message).toMatch(
      /^OpenTelemetry traces cannot be sent to http:\/\/127\.0\.0\.1:4317\/v1\/traces: connect ECONNREFUSED .* OTLP over HTTP usually has port 4318\.$/,
    );
  });

  it('telemetry: shutdown waits for a hanging collector no longer than its timeout', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const { telemetry, lines } = await connect(`http://127.0.0.1:${String(port)}`, {}, 50);
    tracer().startSpan('batch').end();
    expect(await telemetry.stop()).toBe(false);
    expect(lines.map(({ message }) => message)).toContain(
      'OpenTelemetry: the collector did not take the last traces and metrics in time',
    );
  });
});
