export { endRequestSpan, portOf, startRequestSpan } from './http.ts';
export { type MessagingSystem, messagingAttributes, type TracedBatch } from './messaging.ts';
export {
  readTelemetrySettings,
  type SamplerName,
  type SignalSettings,
  type TelemetrySettings,
  TelemetrySettingsError,
} from './settings.ts';
export { startTelemetry } from './start-telemetry.ts';
export type { Telemetry, TelemetryOptions } from './telemetry.ts';
export {
  errorType,
  inSpan,
  type Span,
  type SpanAttributes,
  type SpanKind,
  type SpanOptions,
  type TraceHeaders,
  type Tracing,
} from './tracing.ts';
