import { messageOf } from '@loopwatch/contract';
import type { LogFunction } from '@loopwatch/platform';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';

/** A collector that stays unreachable is reported at most this often, ms. */
const REPEAT_MS = 10 * 60_000;
/** The usual port of OTLP over gRPC, which is easily taken for the one of OTLP over HTTP. */
const GRPC_PORT = '4317';

export type Signal = 'traces' | 'metrics';

/** Reports in the log that exports fail, rarely, and that they succeed again. */
export class ExportReporter {
  readonly #signal: Signal;
  readonly #url: URL;
  readonly #log: LogFunction;
  readonly #monotonic: () => number;
  /** Exports that failed since the last success. */
  #failures = 0;
  #reportedAt = -Infinity;

  /** @param monotonic monotonic clock, ms */
  constructor(
    signal: Signal,
    url: string,
    log: LogFunction,
    monotonic: () => number = () => performance.now(),
  ) {
    this.#signal = signal;
    this.#url = new URL(url);
    this.#log = log;
    this.#monotonic = monotonic;
  }

  note({ code, error }: ExportResult): void {
    if (code === ExportResultCode.SUCCESS) this.#succeeded();
    else this.#failed(error);
  }

  #succeeded(): void {
    if (this.#failures > 0)
      this.#log('info', `OpenTelemetry ${this.#signal} are sent to ${this.#address} again`, {
        signal: this.#signal,
        failures: this.#failures,
      });
    this.#failures = 0;
    this.#reportedAt = -Infinity;
  }

  #failed(error: unknown): void {
    this.#failures += 1;
    const now = this.#monotonic();
    if (now - this.#reportedAt < REPEAT_MS) return;
    this.#reportedAt = now;
    const hint =
      this.#url.port === GRPC_PORT
        ? ` Port ${GRPC_PORT} usually speaks gRPC, which is not supported: OTLP over HTTP usually has port 4318.`
        : '';
    this.#log(
      'warn',
      `OpenTelemetry ${this.#signal} cannot be sent to ${this.#address}: ${reasonOf(error)}. They are lost until it answers; all other work goes on.${hint}`,
      { signal: this.#signal, failures: this.#failures },
    );
  }

  /** Without credentials and query, which may hold secrets. */
  get #address(): string {
    return this.#url.origin + this.#url.pathname;
  }
}

/** One line of bounded length: the body of a refusal may be a whole page. */
function reasonOf(error: unknown): string {
  const status =
    error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : undefined;
  const cause: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const text = error === undefined ? 'no answer' : messageOf(cause).replaceAll(/\s+/g, ' ').slice(0, 200);
  return status === undefined ? text : `HTTP ${String(status)} ${text}`.trim();
}
