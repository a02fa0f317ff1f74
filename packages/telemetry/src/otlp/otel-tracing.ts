import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Span as OtelSpan,
  SpanKind as OtelSpanKind,
  ROOT_CONTEXT,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Span, SpanAttributes, SpanKind, SpanOptions, Tracing } from '../tracing.ts';

const kinds: Readonly<Record<SpanKind, OtelSpanKind>> = {
  internal: OtelSpanKind.INTERNAL,
  server: OtelSpanKind.SERVER,
  client: OtelSpanKind.CLIENT,
  producer: OtelSpanKind.PRODUCER,
  consumer: OtelSpanKind.CONSUMER,
};

const propagator = new W3CTraceContextPropagator();

/**
 * Spans of the OpenTelemetry SDK. Nothing is registered globally, so that libraries with instrumentation of their own stay
 * silent.
 */
export class OtelTracing implements Tracing {
  readonly #tracer: Tracer;
  readonly #storage = new AsyncLocalStorage<RecordedSpan>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  get active(): Span | undefined {
    const span = this.#storage.getStore();
    // Work that outlives its request, such as a loop that the request started, is not part of it.
    return span === undefined || span.isEnded ? undefined : span;
  }

  start(name: string, { kind = 'internal', attributes = {}, startedAt, parent }: SpanOptions = {}): Span {
    const context = contextOf(parent === undefined ? this.active : parent);
    const options = {
      kind: kinds[kind],
      attributes,
      ...(startedAt !== undefined && { startTime: startedAt }),
    };
    return new RecordedSpan(this.#tracer.startSpan(name, options, context), context, this.#storage);
  }
}

function contextOf(parent: SpanOptions['parent']): Context {
  if (parent === undefined || parent === null) return ROOT_CONTEXT;
  if (parent instanceof RecordedSpan) return parent.context;
  return propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter);
}

class RecordedSpan implements Span {
  readonly context: Context;
  isEnded = false;
  readonly #span: OtelSpan;
  readonly #storage: AsyncLocalStorage<RecordedSpan>;

  constructor(span: OtelSpan, parent: Context, storage: AsyncLocalStorage<RecordedSpan>) {
    this.#span = span;
    this.context = trace.setSpan(parent, span);
    this.#storage = storage;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  get spanId(): string {
    return this.#span.spanContext().spanId;
  }

  get headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    propagator.inject(this.context, headers, defaultTextMapSetter);
    return headers;
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes(attributes);
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  fail(type: string, message?: string): void {
    this.#span.setAttribute('error.type', type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
  }

  end(at?: number): void {
    this.isEnded = true;
    this.#span.end(at);
  }

  run<T>(work: () => T): T {
    return this.#storage.run(this, work);
  }
}
