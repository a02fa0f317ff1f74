import {
  freePort,
  modelReply,
  type OtlpCollector,
  seriesOfMetrics,
  seriesOfText,
  spawnCli,
  startOtlpCollector,
  startScriptedUpstream,
  tempDir,
  waitFor,
} from '@loopwatch/testkit';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { loadedPackages, printModules, telemetryIn } from './loaded-packages.ts';
import { fileOf, interleavedSamples, ownTopics, worker } from './worker-runs.ts';

async function collector(): Promise<OtlpCollector> {
  const started = await startOtlpCollector();
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

/** `loopwatch start` with a gateway, on free ports and an embedded log. */
async function start(env: Readonly<Record<string, string>>) {
  const dir = await tempDir();
  onTestFinished(() => dir.remove());
  const upstream = await startScriptedUpstream((request) => modelReply(request, { text: 'Hello' }));
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  const [port, gatewayPort] = [await freePort(), await freePort()];
  const cli = spawnCli(
    ['start', '--no-samples', '--port', String(port), '--data-dir', dir.path, '--upstream', upstream.url],
    { LOOPWATCH_GATEWAY_PORT: String(gatewayPort), LOOPWATCH_LOG_FORMAT: 'json', ...env },
  );
  onTestFinished(async () => {
    await cli.stop('SIGKILL');
  });
  await cli.line(/Loopwatch .* is at http/);
  const [url, gateway] = [port, gatewayPort].map((number) => `http://127.0.0.1:${String(number)}`);
  return { cli, url: url ?? '', gateway: gateway ?? '', upstream };
}

const text = async (url: string, init?: RequestInit): Promise<string> => (await fetch(url, init)).text();

describe('loopwatch start with a collector', () => {
  it('start: sends the traces of its parts and the metrics of /metrics to the collector', async () => {
    const received = await collector();
    const { cli, url, gateway, upstream } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: received.url,
      OTEL_METRIC_EXPORT_INTERVAL: '200',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    await text(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-5-mini', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    await text(`${url}/api/v1/status`);
    const request = await received.span('POST /chat/completions');
    const call = await received.span('POST', (span) => span.parentSpanId === request.spanId);
    expect(upstream.requests[0]?.headers['traceparent']).toBe(`00-${call.traceId}-${call.spanId}-01`);
    const batch = await received.span('batch loopwatch.events');
    expect(batch).toMatchObject({
      attributes: { 'messaging.system': 'loopwatch_embedded' },
      resource: { 'service.name': 'loopwatch' },
    });
    await received.span('GET /api/v1/status');
    await received.span('store messages');
    // Both registries, at a time when nothing happens that they count.
    const instances = () => new Set(received.metrics.map(({ resource }) => resource['service.instance.id']));
    await waitFor(() => instances().size === 2);
    await waitFor(
      async () => {
        const shown = await Promise.all([text(`${url}/metrics`), text(`${gateway}/metrics`)]);
        const sent = [...instances()].map((instance) =>
          stable(
            seriesOfMetrics(
              received.metrics.filter(({ resource }) => resource['service.instance.id'] === instance),
            ),
          ),
        );
        return shown.every((one) => sent.some((other) => other === stable(seriesOfText(one))));
      },
      { describe: () => 'metrics equal to /metrics' },
    );
    expect(await cli.stop()).toBe(0);
  });

  it('start: an unreachable collector has no effect, and is reported once per signal', async () => {
    const port = await freePort();
    const { cli, url } = await start({
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${String(port)}`,
      OTEL_EXPORTER_OTLP_TIMEOUT: '100',
      OTEL_METRIC_EXPORT_INTERVAL: '100',
      OTEL_BSP_SCHEDULE_DELAY: '20',
    });
    for (let i = 0; i < 5; i += 1) expect((await fetch(`${url}/api/v1/status`)).status).toBe(200);
    await cli.line(/OpenTelemetry traces cannot be sent/);
    await cli.line(/OpenTelemetry metrics cannot be sent/);
    const { status } = await fetch(`${url}/readyz`);
    expect(status).toBe(200);
    expect(await cli.stop()).toBe(0);
    expect(cli.stdout.filter((line) => line.includes('cannot be sent'))).toHaveLength(2);
  });

  it('start: does not send its own traces to itself when agents use the same variable', async () => {
    const port = await freePort();
    const dir = await tempDir();
    onTestFinished(() => dir.remove());
    const cli = spawnCli(['start', '--no-samples', '--port', String(port), '--data-dir', dir.path], {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://localhost:${String(port)}`,
    });
    onTestFinished(async () => {
      await cli.stop('SIGKILL');
    });
    await cli.line(/OpenTelemetry is off: OTEL_EXPORTER_OTLP_ENDPOINT names the Loopwatch server itself/);
    await cli.line(/Loopwatch .* is at http/);
    expect(await cli.stop()).toBe(0);
  });
});

/** What does not change from one moment to the next: our own metrics, without those that a scrape changes. */
function stable(series: ReadonlyMap<string, number>): string {
  return [...series]
    .filter(
      ([name]) => name.startsWith('loopwatch_') && !/database_duration|http_request_duration/.test(name),
    )
    .map(([name, value]) => `${name} ${String(value)}`)
    .sort()
    .join('\n');
}

it.each(['start', 'worker', 'server', 'gateway'])(
  '%s: reports an invalid OpenTelemetry variable by name',
  async (command) => {
    const cli = spawnCli(
      [
        command,
        '--brokers',
        '127.0.0.1:1',
        ...(command === 'gateway' ? ['--upstream', 'http://127.0.0.1:1/v1'] : []),
      ],
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      },
    );
    expect(await cli.exited).toBe(2);
    expect(cli.stderr.join('\n')).toMatch(
      /^OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317" is not an address/m,
    );
    expect(cli.stderr.join('\n')).toMatch(
      /^OTEL_EXPORTER_OTLP_PROTOCOL: gRPC is not supported; use http\/protobuf/m,
    );
  },
);

describe('modules', () => {
  const loaded = async (env: Readonly<Record<string, string>>) => {
    const dir = await tempDir();
    onTestFinished(() => dir.remove());
    await using cli = spawnCli(
      ['start', '--no-samples', '--port', String(await freePort()), '--data-dir', dir.path],
      { NODE_OPTIONS: printModules, ...env },
      { from: 'build' },
    );
    await cli.line(/is at http:/);
    await cli.stop();
    return telemetryIn(await loadedPackages(cli.stderr));
  };

  it('start: loads nothing of the SDK if its endpoint is empty', async () => {
    expect(await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_SERVICE_NAME: 'x' })).toEqual([]);
  });

  it('start: loads the SDK if configured, so that these checks can fail', async () => {
    const received = await collector();
    expect((await loaded({ OTEL_EXPORTER_OTLP_ENDPOINT: received.url })).length).toBeGreaterThan(0);
  });
});

it('worker: sends spans for fetch, processing and commit of its Kafka batches', async () => {
  const received = await collector();
  const brokers = inject('kafkaBrokers');
  const { env } = await ownTopics(brokers, 1);
  const telemetry = { OTEL_EXPORTER_OTLP_ENDPOINT: received.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  const running = await worker({ ...env, ...telemetry });
  const produce = spawnCli(['produce', await fileOf(interleavedSamples())], env);
  expect(await produce.exited, produce.stderr.join('\n')).toBe(0);
  const topic = `${env.LOOPWATCH_KAFKA_TOPICS_PREFIX}events`;
  const batch = await received.span(`batch ${topic}`);
  for (const name of ['receive', 'process', 'commit']) {
    const span = await received.span(`${name} ${topic}`, ({ parentSpanId }) => parentSpanId === batch.spanId);
    expect(span.attributes).toMatchObject({
      'messaging.system': 'kafka',
      'messaging.destination.name': topic,
    });
    expect(span.end).toBeGreaterThanOrEqual(span.start);
  }
  expect(batch.resource['service.name']).toBe('loopwatch-worker');
  expect(await running.stop()).toBe(0);
});
