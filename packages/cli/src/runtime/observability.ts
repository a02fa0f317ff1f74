import type { Settings } from '@loopwatch/contract';
import { isLoopback } from '@loopwatch/platform';
import {
  portOf,
  readTelemetrySettings,
  startTelemetry,
  type Telemetry,
  type TelemetrySettings,
  TelemetrySettingsError,
} from '@loopwatch/telemetry';
import { trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { UsageError } from '../errors.ts';
import { version } from './installation.ts';
import type { Running } from './lifecycle.ts';
import { createLogger, logFunction } from './logger.ts';
import { processRegistry } from './registry.ts';

/** Time for a process to end by itself once its telemetry was given up, ms. */
const EXIT_AFTER_MS = 100;

/** How a process can be observed: its log, its metrics and its traces. */
export interface Observability {
  readonly logger: Logger;
  /** A registry with the default metrics of Node, whose metrics are also sent to the collector if there is one. */
  readonly createRegistry: () => Registry;
  /** Sends a registry's metrics to the collector, if there is one. */
  readonly exportMetrics: (registry: Registry) => void;
  /** Sends what is left; must be stopped last. */
  readonly telemetry: Running;
}

/**
 * Creates the logger of a process and, if the environment asks for it, connects to an OpenTelemetry collector.
 *
 * @param name of the process, in log lines
 * @param role the same without the number of processes, in the name of the service
 * @throws UsageError that names the invalid variables
 */
export async function observe(settings: Settings, name: string, role = name): Promise<Observability> {
  const wanted = telemetrySettings();
  if (wanted === undefined) return observability(createLogger(settings.log, name), undefined);
  // The logger comes first: it reports what happens while telemetry starts.
  const logger = createLogger(settings.log, name, spanFields);
  if (isOwnServer(wanted, settings)) {
    logger.warn(
      'OpenTelemetry is off: OTEL_EXPORTER_OTLP_ENDPOINT names the Loopwatch server itself, where agents send their traces. ' +
        "To send Loopwatch's own, name a collector; otherwise unset it for this process, or set OTEL_SDK_DISABLED=true.",
    );
    return observability(logger, undefined);
  }
  const serviceName = role === 'loopwatch' ? role : `loopwatch-${role}`;
  const telemetry = await startTelemetry({
    settings: wanted,
    serviceName,
    version,
    log: logFunction(logger),
  });
  const { traces, metrics } = wanted;
  logger.info(
    { traces: traces && withoutSecrets(traces.url), metrics: metrics && withoutSecrets(metrics.url) },
    `OpenTelemetry is on: ${traces === undefined ? 'no traces' : `traces to ${withoutSecrets(traces.url)}`}, ` +
      (metrics === undefined ? 'no metrics' : `metrics to ${withoutSecrets(metrics.url)}`),
  );
  return observability(logger, telemetry);
}

function telemetrySettings(): TelemetrySettings | undefined {
  try {
    return readTelemetrySettings();
  } catch (error) {
    if (error instanceof TelemetrySettingsError) throw new UsageError(error.message);
    throw error;
  }
}

function observability(logger: Logger, telemetry: Telemetry | undefined): Observability {
  const exportMetrics = (registry: Registry): void => telemetry?.exportMetrics(registry);
  return {
    logger,
    createRegistry: () => {
      const registry = processRegistry();
      exportMetrics(registry);
      return registry;
    },
    exportMetrics,
    telemetry: {
      async stop() {
        const isDone = (await telemetry?.stop()) ?? true;
        // Retries of the exporter would keep the process running.
        if (!isDone) setTimeout(() => process.exit(), EXIT_AFTER_MS).unref();
      },
    },
  };
}

function spanFields(): object {
  const span = trace.getActiveSpan()?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}

/**
 * Whether an address is that of the server on this machine. Agents are connected by the same variables, which are often set
 * for a whole shell: a server would store its own spans as sessions of agents.
 */
function isOwnServer({ traces, metrics }: TelemetrySettings, { server }: Settings): boolean {
  return [traces, metrics].some((signal) => {
    if (signal === undefined) return false;
    const address = new URL(signal.url);
    return portOf(address) === server.port && isLoopback(address.hostname);
  });
}

/** Without credentials and query. */
function withoutSecrets(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
