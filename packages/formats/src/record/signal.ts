import type { JsonObject } from './json.ts';

/** A span or a log record, independent of the exporter. */
export interface Signal {
  readonly name: string;
  readonly traceId: string | undefined;
  readonly spanId: string | undefined;
  readonly parentId: string | undefined;
  /** Epoch ms. */
  readonly start: number | undefined;
  readonly end: number | undefined;
  /** Error message, if the status is an error. */
  readonly error: string | undefined;
  /** Whether it is the side of a request that answers. */
  readonly isServer?: boolean;
  readonly attributes: JsonObject;
  readonly resource: JsonObject;
  /** Attributes of the events of a span, with their names; of a log record, the messages in it. */
  readonly events: readonly SpanEvent[];
  /** Whether the messages come from log records: `alone` if their span is still unknown. */
  readonly logged?: 'alone' | 'with span';
  /**
   * Set if another signal reports the same request: whether this one has the messages of a turn that is `known`, or of that of the
   * span it belongs to, or the turn alone.
   */
  readonly turn?: 'known' | 'of span' | 'bare';
}

export interface SpanEvent {
  readonly name: string;
  readonly attributes: JsonObject;
}

/** Identifies a span; without one, log records of messages are one sequence. */
export function keyOfSpan({ traceId = '', spanId = '' }: Signal): string {
  return `${traceId}:${spanId}`;
}
