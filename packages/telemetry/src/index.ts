export { type MessagingSystem, messagingAttributes, type TracedBatch } from './messaging.ts';
export {
  readTelemetrySettings,
  type SamplerName,
  type SignalSettings,
  type TelemetrySettings,
  TelemetrySettingsError,
} from './settings.ts';
export { startTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts';
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
