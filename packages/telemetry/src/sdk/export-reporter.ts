import { messageOf } from '@loopwatch/contract';
import type { LogFunction } from '@loopwatch/platform';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';

/** A collector that stays unreachable is reported at most this often, ms. */
const REPEAT_MS = 10 * 60_000;
/** The usual port of OTLP over gRPC, which is easily taken for the one of OTLP over HTTP. */
const GRPC_PORT = '4317';

/** @returns reports in the log that exports fail, rarely, and that they succeed again */
export function exportReporter(
  signal: 'traces' | 'metrics',
  url: string,
  log: LogFunction,
): (result: ExportResult) => void {
  const { origin, pathname, port } = new URL(url);
  // Without credentials and query, which may hold secrets.
  const address = origin + pathname;
  const hint =
    port === GRPC_PORT
      ? ` Port ${GRPC_PORT} usually speaks gRPC, which is not supported: OTLP over HTTP usually has port 4318.`
      : '';
  /** Exports that failed since the last success. */
  let failures = 0;
  let reportedAt = -Infinity;
  return ({ code, error }) => {
    if (code === ExportResultCode.SUCCESS) {
      if (failures > 0)
        log('info', `OpenTelemetry ${signal} are sent to ${address} again`, { signal, failures });
      failures = 0;
      reportedAt = -Infinity;
      return;
    }
    failures += 1;
    const now = performance.now();
    if (now - reportedAt < REPEAT_MS) return;
    reportedAt = now;
    log(
      'warn',
      `OpenTelemetry ${signal} cannot be sent to ${address}: ${reasonOf(error)}. They are lost until it answers; all other work goes on.${hint}`,
      { signal, failures },
    );
  };
}

/** One line of bounded length: the body of a refusal may be a whole page. */
function reasonOf(error: unknown): string {
  const status =
    error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const text = error === undefined ? 'no answer' : messageOf(cause).replaceAll(/\s+/g, ' ').slice(0, 200);
  return status === undefined ? text : `HTTP ${String(status)} ${text}`.trim();
}
