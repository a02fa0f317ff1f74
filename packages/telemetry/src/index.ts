import type { Telemetry, TelemetryOptions } from './sdk/start.ts';

export type { Telemetry, TelemetryOptions } from './sdk/start.ts';
export { readTelemetrySettings, type TelemetrySettings, TelemetrySettingsError } from './settings.ts';
export {
  endRequestSpan,
  errorType,
  failSpan,
  inRequestSpan,
  inSpan,
  type MessagingSystem,
  messagingAttributes,
  portOf,
  tracer,
} from './spans.ts';

/** Connects to the collector. Loads OpenTelemetry's SDK, which a process without telemetry never does. */
export async function startTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { startSdk } = await import('./sdk/start.ts');
  return startSdk(options);
}
