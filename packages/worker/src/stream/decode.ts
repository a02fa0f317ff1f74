import { type AgentEvent, erasedKey } from '@loopwatch/contract';
import { acceptEvent, decodeEvent } from '@loopwatch/contract/check';
import type { OperatorFunction } from 'rxjs';
import type { DeadLetter, InputRecord } from '../records.ts';
import { eachRecord, failedRecord } from './each-record.ts';

/** A record whose value is an event, with its session. */
export interface EventRecord<R extends InputRecord = InputRecord> {
  readonly type: 'event';
  readonly record: R;
  readonly sessionId: string;
  readonly event: AgentEvent;
}

/** A tombstone that erases a session. */
export interface ErasureRecord<R extends InputRecord = InputRecord> {
  readonly type: 'erasure';
  readonly record: R;
  readonly sessionId: string;
}

export type Decoded<R extends InputRecord = InputRecord> = EventRecord<R> | ErasureRecord<R> | DeadLetter<R>;

/** What happens at a fault: the stream errors, or the record becomes a dead letter and the stream continues. */
export type FaultPolicy = 'error' | 'skip';

/** Decodes each record to an event, or to a dead letter with the reason. No record content makes the stream fail. */
export function decodeRecords<R extends InputRecord>(
  faults: FaultPolicy = 'error',
): OperatorFunction<R, Decoded<R>> {
  return eachRecord(
    (record) => record,
    (record, emit) => {
      emit(decode(record));
    },
    faults === 'skip' ? failedRecord : undefined,
  );
}

function decode<R extends InputRecord>(record: R): Decoded<R> {
  // Before anything else: reading the record may be what failed.
  if (record.rejection !== undefined) return { type: 'dead_letter', record, ...record.rejection };
  const sessionId = erasedKey(record);
  return sessionId === undefined ? decodeContent(record) : { type: 'erasure', record, sessionId };
}

/** @returns what the record's value says, even if the record was rejected */
export function decodeContent<R extends InputRecord>(record: R): EventRecord<R> | DeadLetter<R> {
  const decoded = record.event === undefined ? decodeEvent(record) : acceptEvent(record.event, record);
  if (!decoded.ok) return { type: 'dead_letter', record, reason: decoded.reason, message: decoded.message };
  return { type: 'event', record, sessionId: decoded.sessionId, event: decoded.event };
}
