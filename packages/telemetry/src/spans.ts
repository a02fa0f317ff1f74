import type { IncomingMessage } from 'node:http';
import { messageOf } from '@loopwatch/contract';
import {
  type Attributes,
  context,
  propagation,
  type Span,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/** The source of Loopwatch's spans, which are not recorded until an SDK is registered. */
export function tracer(): Tracer {
  return trace.getTracer('loopwatch');
}

/** Runs work in an active span, which fails with it. */
export function inSpan<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
  return tracer().startActiveSpan(name, options, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, errorType(error), messageOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Marks work as failed. @param type from a closed set, such as an error code or a status @param message for people */
export function failSpan(span: Span, type: string, message?: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) });
}

/** The code or the class of an error. */
export function errorType(error: unknown): string {
  if (!(error instanceof Error)) return '_OTHER';
  if ('code' in error && typeof error.code === 'string') return error.code;
  // Many classes leave `name` as it is.
  return error.name === 'Error' ? error.constructor.name : error.name;
}

/**
 * Handles a request to this process in an active span that continues the caller's trace. The query is left out, because some
 * clients send their key in it. {@link endRequestSpan} ends the span.
 *
 * @param attributes in addition to those that every request has
 */
export function inRequestSpan<T>(
  { method = 'GET', url = '/', headers }: IncomingMessage,
  name: string,
  attributes: Attributes,
  handle: (span: Span) => T,
): T {
  const common = {
    'http.request.method': method,
    'url.path': url.split('?', 1)[0],
    'user_agent.original': headers['user-agent'],
  };
  const options = { kind: SpanKind.SERVER, attributes: { ...common, ...attributes } };
  return tracer().startActiveSpan(name, options, propagation.extract(context.active(), headers), handle);
}

/** Ends the span of a request to this process, which has failed if the fault is the process' own. */
export function endRequestSpan(span: Span, status: number): void {
  span.setAttribute('http.response.status_code', status);
  if (status >= 500) failSpan(span, String(status));
  span.end();
}

/** The port of an HTTP address, which may leave out the default one. */
export function portOf({ port, protocol }: URL): number {
  return Number(port) || (protocol === 'http:' ? 80 : 443);
}

/** Where the records of a batch come from: the value of `messaging.system`. */
export type MessagingSystem = 'kafka' | 'loopwatch_embedded';

/** A batch of records of one partition. */
export interface TracedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly { readonly offset: number }[];
}

/** Attributes of work on a batch, by the conventions for messaging. @param operation what the work does with the records */
export function messagingAttributes(
  { topic, partition, records }: TracedBatch,
  system: MessagingSystem,
  operation: 'receive' | 'process' | 'settle',
): Attributes {
  return {
    'messaging.system': system,
    'messaging.operation.type': operation,
    'messaging.operation.name': operation === 'settle' ? 'commit' : operation,
    'messaging.destination.name': topic,
    'messaging.destination.partition.id': String(partition),
    'messaging.batch.message_count': records.length,
    'messaging.kafka.offset': records[0]?.offset,
  };
}
