import { within } from '@loopwatch/platform';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Registry } from 'prom-client';
import type { Telemetry, TelemetryOptions } from '../telemetry.ts';
import type { Tracing } from '../tracing.ts';
import { ExportReporter } from './export-reporter.ts';
import { metricExporter, traceExporter } from './exporters.ts';
import { OtelTracing } from './otel-tracing.ts';
import { RegistryMetrics } from './registry-metrics.ts';
import { processResource } from './resource.ts';
import { createSampler } from './sampler.ts';

/** Default of the time for the last export, ms; a process may take 30 s to stop. */
const STOP_LIMIT_MS = 5_000;
/** Names Loopwatch as the source of spans and metrics. */
const SCOPE = 'loopwatch';

/** Sends traces and metrics over OTLP/HTTP. */
export class OtlpTelemetry implements Telemetry {
  readonly tracing: Tracing | undefined;
  readonly #options: TelemetryOptions;
  readonly #providers: { shutdown(): Promise<void> }[] = [];
  readonly #metricsReporter: ExportReporter | undefined;
  #stopped: Promise<boolean> | undefined;

  constructor(options: TelemetryOptions) {
    this.#options = options;
    const { settings, version, log } = options;
    const { traces, metrics } = settings;
    this.#metricsReporter = metrics && new ExportReporter('metrics', metrics.url, log);
    if (traces === undefined) return;
    const reporter = new ExportReporter('traces', traces.url, log);
    const provider = new BasicTracerProvider({
      resource: processResource(options),
      sampler: createSampler(traces),
      spanProcessors: [new BatchSpanProcessor(traceExporter(traces, (result) => reporter.note(result)))],
    });
    this.#providers.push(provider);
    this.tracing = new OtelTracing(provider.getTracer(SCOPE, version));
  }

  exportMetrics(registry: Registry): void {
    const { settings, version } = this.#options;
    const { metrics } = settings;
    if (metrics === undefined) return;
    const reader = new PeriodicExportingMetricReader({
      exporter: metricExporter(metrics, (result) => this.#metricsReporter?.note(result)),
      exportIntervalMillis: metrics.intervalMs,
      metricProducers: [new RegistryMetrics(registry, { name: SCOPE, version })],
    });
    // A server and a gateway in one process have metrics of the same name: they are two instances, as they are two targets
    // for Prometheus.
    this.#providers.push(new MeterProvider({ resource: processResource(this.#options), readers: [reader] }));
  }

  stop(): Promise<boolean> {
    return (this.#stopped ??= this.#stop());
  }

  async #stop(): Promise<boolean> {
    const { log, stopLimitMs = STOP_LIMIT_MS } = this.#options;
    const closing = Promise.allSettled(this.#providers.map((provider) => provider.shutdown()));
    try {
      await within(closing, stopLimitMs, () => new Error('timeout'));
      return true;
    } catch {
      log('warn', 'OpenTelemetry: the collector did not take the last traces and metrics in time', {
        limitMs: stopLimitMs,
      });
      return false;
    }
  }
}
