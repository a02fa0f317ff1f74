import { messageOf } from '@loopwatch/contract';

/** Whose side of a call a span is, or `internal` for work within a process. */
export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

/** Named by OpenTelemetry's semantic conventions, otherwise `loopwatch.*`; undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** HTTP headers by lower-case name, as Node parses them. */
export type TraceHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface SpanOptions {
  /** Default: internal. */
  readonly kind?: SpanKind;
  readonly attributes?: SpanAttributes;
  /** Epoch ms; default: now. */
  readonly startedAt?: number;
  /**
   * Default: the active span, or none. Headers of a request continue the trace of its sender; null starts a new trace, for
   * background work that something else may have caused.
   */
  readonly parent?: Span | TraceHeaders | null;
}

/** The record of one unit of work. It must be ended. */
export interface Span {
  /** Hexadecimal ids, for log lines. */
  readonly traceId: string;
  readonly spanId: string;
  /** Headers that continue this trace in the called process: `traceparent`, and `tracestate` if there is one. */
  readonly headers: Readonly<Record<string, string>>;
  set(attributes: SpanAttributes): void;
  rename(name: string): void;
  /**
   * Marks the work as failed.
   *
   * @param type from a closed set, such as an error code or a status
   * @param message for people
   */
  fail(type: string, message?: string): void;
  /** @param at epoch ms; default: now */
  end(at?: number): void;
  /** Runs work with this span as the active one, also in everything asynchronous that the work starts. */
  run<T>(work: () => T): T;
}

/**
 * Records units of work: a batch, a request, a call. Never single events, whose cost would be a multiple of theirs.
 * Callers that record spans receive it by injection; undefined means off, and then no OpenTelemetry code is loaded.
 */
export interface Tracing {
  start(name: string, options?: SpanOptions): Span;
  /** The span of the work in progress; undefined outside of any, and once it has ended. */
  readonly active: Span | undefined;
}

/** Runs work in a span, which fails with it. Without tracing, only runs it. */
export async function inSpan<T>(
  tracing: Tracing | undefined,
  name: string,
  options: SpanOptions,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (tracing === undefined) return work(undefined);
  const span = tracing.start(name, options);
  try {
    return await span.run(() => work(span));
  } catch (error) {
    span.fail(errorType(error), messageOf(error));
    throw error;
  } finally {
    span.end();
  }
}

/** The code or the class of an error. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Many classes leave `name` as it is.
  return error.name === 'Error' ? error.constructor.name : error.name;
}
