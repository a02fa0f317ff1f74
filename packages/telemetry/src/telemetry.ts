import type { LogFunction } from '@loopwatch/platform';
import type { Registry } from 'prom-client';
import type { TelemetrySettings } from './settings.ts';
import type { Tracing } from './tracing.ts';

/** The connection of this process to an OpenTelemetry collector. */
export interface Telemetry {
  /** Undefined if traces are off. */
  readonly tracing: Tracing | undefined;
  /** Sends a registry's metrics, in addition to what is served at `/metrics`. Each registry is an instance of its own. */
  exportMetrics(registry: Registry): void;
  /** Sends what is left, for a limited time; never rejects. @returns whether the time was enough */
  stop(): Promise<boolean>;
}

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  /** The service's name, unless the settings have one. */
  readonly serviceName: string;
  readonly version: string;
  /** Reports a collector that cannot be reached, and that it can be reached again. */
  readonly log: LogFunction;
  /** How long {@link Telemetry.stop} waits for the last export, ms; 5,000 by default. */
  readonly stopLimitMs?: number;
}
