import { type EventRefusal, isEventType } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import type { OutputRecord } from '@loopwatch/log';
import { limits } from './limits.ts';
import type { Piece } from './split-body.ts';

/** An event of a body, as it goes to the log. */
export interface PostedEvent {
  readonly line: number;
  readonly type: string;
  /** What tells it from others; undefined where it has no id. */
  readonly id: string | undefined;
  readonly record: OutputRecord;
}

/** A part of a body that is not an event, and why. */
export interface Rejection {
  /** Line of the body, or place in an array; from 1. */
  readonly line: number;
  readonly code: EventRefusal;
  readonly detail: string;
}

/** @param now wall clock in epoch ms: the `time` of an event that has none */
export function readEvent({ line, bytes }: Piece, topic: string, now: number): PostedEvent | Rejection {
  if (bytes === undefined) {
    const detail = `the event has more than ${String(limits.eventBytes)} bytes`;
    return { line, code: 'too_large', detail };
  }
  const text = bytes.toString('utf8');
  const decoded = decodeEvent({ text, key: null });
  if (!decoded.ok) {
    const { reason: code, message } = decoded;
    return { line, code, detail: code === 'missing_session' ? 'set "sessionId" in the event' : message };
  }
  const { event, sessionId } = decoded;
  const value = event.time == null ? withTime(text, now) : text;
  const id = event.id == null ? undefined : JSON.stringify([sessionId, event.id]);
  return { line, type: event.type, id, record: { topic, key: sessionId, value } };
}

/**
 * The text of an event, which is an object with members, with a time that wins over a `null`. Written again, an event as deep
 * as may be would take more stack than there is.
 */
function withTime(text: string, time: number): string {
  return `${text.slice(0, text.lastIndexOf('}'))},"time":${time}}`;
}

/** Whether the text of a whole body is one value; an event may be no larger. */
export function isJson(bytes: Buffer): boolean {
  if (bytes.length > limits.eventBytes) return false;
  const decoded = decodeEvent({ text: bytes.toString('utf8'), key: null });
  return decoded.ok || decoded.reason !== 'not_json';
}

export function isKnownType({ type }: PostedEvent): boolean {
  return isEventType(type);
}
