import type { AgentEvent } from '@loopwatch/contract';
import { acceptEvent, decodeEvent } from '@loopwatch/contract/check';
import { map, type OperatorFunction } from 'rxjs';
import type { DeadLetter, InputRecord } from './records.ts';

/** A record whose value is an event, with its session. */
export interface EventRecord<R extends InputRecord = InputRecord> {
  readonly type: 'event';
  readonly record: R;
  readonly sessionId: string;
  readonly event: AgentEvent;
}

/**
 * The door: each record becomes an event, or a dead letter that says why it is none. Nothing a record holds makes the
 * stream fail.
 */
export function decodeRecords<R extends InputRecord>(): OperatorFunction<R, EventRecord<R> | DeadLetter<R>> {
  return map(decode);
}

function decode<R extends InputRecord>(record: R): EventRecord<R> | DeadLetter<R> {
  if (record.rejection !== undefined) return { type: 'dead_letter', record, ...record.rejection };
  const decoded = record.event === undefined ? decodeEvent(record) : acceptEvent(record.event, record);
  if (!decoded.ok) return { type: 'dead_letter', record, reason: decoded.reason, message: decoded.message };
  return { type: 'event', record, sessionId: decoded.sessionId, event: decoded.event };
}
