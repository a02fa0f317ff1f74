import { type CollectedSpan, startOtlpCollector } from '@loopwatch/testkit';
import { onTestFinished } from 'vitest';
import { readTelemetrySettings, startTelemetry } from '../src/index.ts';

/** Traces sent to a collector, for one test. */
export interface Recording {
  /** Ends the recording. @returns all spans, in the order in which they ended */
  readonly spans: () => Promise<readonly CollectedSpan[]>;
}

export async function recordTraces(): Promise<Recording> {
  const collector = await startOtlpCollector();
  const settings = readTelemetrySettings({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
  });
  if (settings === undefined) throw new Error('telemetry is off');
  const log = () => undefined;
  const telemetry = await startTelemetry({ settings, serviceName: 'test', version: '0', log });
  onTestFinished(async () => {
    await telemetry.stop();
    await collector[Symbol.asyncDispose]();
  });
  return {
    spans: async () => {
      await telemetry.stop();
      return collector.spans;
    },
  };
}

/** Spans by name, with the name of their parent; for traces in which names are unique. */
export function tree(spans: readonly CollectedSpan[]): Record<string, string | undefined> {
  return Object.fromEntries(
    spans.map(({ name, traceId, parentSpanId }) => [
      name,
      spans.find((one) => one.traceId === traceId && one.spanId === parentSpanId)?.name,
    ]),
  );
}
