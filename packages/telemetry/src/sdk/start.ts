import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type LogFunction, within } from '@loopwatch/platform';
import { context, propagation, trace } from '@opentelemetry/api';
import { type ExportResult, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { Registry } from 'prom-client';
import type { TelemetrySettings } from '../settings.ts';
import { ActiveSpans } from './active-spans.ts';
import { exportReporter } from './export-reporter.ts';
import { RegistryMetrics } from './registry-metrics.ts';

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  /** The service's name, unless the settings have one. */
  readonly serviceName: string;
  readonly version: string;
  /** Reports a collector that cannot be reached, and that it can be reached again. */
  readonly log: LogFunction;
  /** How long {@link Telemetry.stop} waits for the last export, ms; 5,000 by default: a process may take 30 s to stop. */
  readonly stopLimitMs?: number;
}

/** The connection of this process to an OpenTelemetry collector. */
export interface Telemetry {
  /** Sends a registry's metrics, in addition to what is served at `/metrics`. Each registry is an instance of its own. */
  exportMetrics(registry: Registry): void;
  /** Sends what is left, for a limited time; never rejects. @returns whether the time was enough */
  stop(): Promise<boolean>;
}

/** Registers OpenTelemetry's SDK: from now on, spans are recorded and sent over OTLP/HTTP. */
export function startSdk(options: TelemetryOptions): Telemetry {
  const { settings, version, log, stopLimitMs = 5_000 } = options;
  const { traces, metrics } = settings;
  const providers: { shutdown(): Promise<void> }[] = [];
  if (traces !== undefined) {
    const Exporter = traces.protocol === 'http/json' ? JsonTraceExporter : OTLPTraceExporter;
    const exporter = reported(new Exporter(configOf(traces)), exportReporter('traces', traces.url, log));
    const provider = new BasicTracerProvider({
      resource: processResource(options),
      spanProcessors: [new BatchSpanProcessor(exporter)],
    });
    providers.push(provider);
    trace.setGlobalTracerProvider(provider);
    context.setGlobalContextManager(new ActiveSpans());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  }
  const reportMetrics = metrics && exportReporter('metrics', metrics.url, log);
  let stopped: Promise<boolean> | undefined;
  return {
    exportMetrics(registry) {
      if (metrics === undefined || reportMetrics === undefined) return;
      const Exporter = metrics.protocol === 'http/json' ? JsonMetricExporter : OTLPMetricExporter;
      const reader = new PeriodicExportingMetricReader({
        exporter: reported(new Exporter(configOf(metrics)), reportMetrics),
        exportIntervalMillis: metrics.intervalMs,
        metricProducers: [new RegistryMetrics(registry, { name: 'loopwatch', version })],
      });
      // A server and a gateway in one process have metrics of the same name: they are two instances, as they are two targets
      // for Prometheus.
      providers.push(new MeterProvider({ resource: processResource(options), readers: [reader] }));
    },
    stop: () => (stopped ??= stop()),
  };

  async function stop(): Promise<boolean> {
    for (const global of [trace, context, propagation]) global.disable();
    const closing = Promise.allSettled(providers.map((provider) => provider.shutdown()));
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

function configOf({ url, headers }: NonNullable<TelemetrySettings['traces']>) {
  return { url, headers: { ...headers }, userAgent: 'loopwatch' };
}

/** The exporter, with a report of each export. */
function reported<Items, E extends { export(items: Items, done: (result: ExportResult) => void): void }>(
  exporter: E & { export(items: Items, done: (result: ExportResult) => void): void },
  report: (result: ExportResult) => void,
): E {
  const send = exporter.export.bind(exporter);
  exporter.export = (items: Items, done: (result: ExportResult) => void): void => {
    send(items, (result) => {
      report(result);
      done(result);
    });
  };
  return exporter;
}

/** Describes this process; the environment's attributes win. Each call returns another instance of the service. */
function processResource({ settings, serviceName, version }: TelemetryOptions): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': randomUUID(),
      'host.name': hostname(),
      'process.pid': process.pid,
      'process.runtime.name': 'nodejs',
      'process.runtime.version': process.versions.node,
      ...settings.attributes,
    }),
  );
}
