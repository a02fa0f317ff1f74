import type { Telemetry, TelemetryOptions } from './telemetry.ts';

/** Connects to the collector. Loads the OpenTelemetry SDK, which a process without telemetry never does. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { OtlpTelemetry } = await import('./otlp/otlp-telemetry.ts');
  return new OtlpTelemetry(options);
}
