import type { AgentEvent } from '@loopwatch/contract';
import { type Decoded, decodeEvent } from '@loopwatch/contract/check';
import { Observable, type OperatorFunction } from 'rxjs';
import type { InputRecord, Outcome } from './records.ts';

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
export function decodeRecords<R extends InputRecord>(): OperatorFunction<R, EventRecord<R> | Outcome<R>> {
  return (records$) =>
    new Observable((subscriber) =>
      records$.subscribe({
        next(record) {
          const decoded: Decoded =
            record.rejection === undefined ? decodeEvent(record) : { ok: false, ...record.rejection };
          if (decoded.ok) {
            subscriber.next({ type: 'event', record, sessionId: decoded.sessionId, event: decoded.event });
          } else {
            subscriber.next({
              type: 'dead_letter',
              record,
              reason: decoded.reason,
              message: decoded.message,
            });
          }
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
        complete: () => {
          subscriber.complete();
        },
      }),
    );
}
