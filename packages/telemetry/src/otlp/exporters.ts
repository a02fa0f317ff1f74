import type { ExportResult } from '@opentelemetry/core';
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { SignalSettings } from '../settings.ts';

type ExporterConfig = NonNullable<ConstructorParameters<typeof ProtobufTraceExporter>[0]>;

/** What the exporters of spans and of metrics have in common. */
interface Exporter<Items> {
  export(items: Items, done: (result: ExportResult) => void): void;
  forceFlush?(): Promise<void>;
  shutdown(): Promise<void>;
}

/** @param onResult called after each export */
export function traceExporter(
  settings: SignalSettings,
  onResult: (result: ExportResult) => void,
): SpanExporter {
  const Exporter = settings.protocol === 'http/json' ? JsonTraceExporter : ProtobufTraceExporter;
  return observed(new Exporter(configOf(settings)), onResult);
}

/** @param onResult called after each export */
export function metricExporter(
  settings: SignalSettings,
  onResult: (result: ExportResult) => void,
): PushMetricExporter {
  const Exporter = settings.protocol === 'http/json' ? JsonMetricExporter : ProtobufMetricExporter;
  return observed(new Exporter(configOf(settings)), onResult);
}

/** Certificates are read by the exporter itself, from the environment. */
function configOf({ url, headers, timeoutMs, compression }: SignalSettings): ExporterConfig {
  return {
    url,
    headers: { ...headers },
    timeoutMillis: timeoutMs,
    // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- its values; a package of its own has the enum
    compression: compression as NonNullable<ExporterConfig['compression']>,
    userAgent: 'loopwatch',
  };
}

function observed<Items>(exporter: Exporter<Items>, onResult: (result: ExportResult) => void) {
  return {
    export: (items: Items, done: (result: ExportResult) => void): void => {
      exporter.export(items, (result) => {
        onResult(result);
        done(result);
      });
    },
    forceFlush: (): Promise<void> => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: (): Promise<void> => exporter.shutdown(),
  };
}
