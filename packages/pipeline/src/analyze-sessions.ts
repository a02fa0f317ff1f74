import { Observable, type OperatorFunction } from 'rxjs';
import type { EventRecord } from './decode-records.ts';
import type { InputRecord, Outcome, PipelineObserver } from './records.ts';
import type { PartitionSessions } from './session-store.ts';

/** Where the records of a stream lie. */
export interface Place {
  readonly topic: string;
  readonly partition: number;
}

/**
 * Hands each event to its session and passes on the verdicts; what is no event passes through. Sessions may be
 * interleaved as they like: each sees its own events, in their order.
 */
export function analyzeSessions<R extends InputRecord>(
  sessions: PartitionSessions,
  place: Place,
  observer: PipelineObserver,
): OperatorFunction<EventRecord<R> | Outcome<R>, Outcome<R>> {
  return (input$) =>
    new Observable((subscriber) => {
      const origins: number[] = [];
      return input$.subscribe({
        next(item) {
          if (item.type !== 'event') {
            subscriber.next(item);
            return;
          }
          const { record, event } = item;
          const session = sessions.use(item.sessionId);
          origins.length = 0;
          let verdicts: ReturnType<typeof session.push>;
          try {
            verdicts = session.push(event, record.timestamp ?? session.lastTime, record.offset, origins);
          } catch (error) {
            // A fault of ours must not stop the stream: the session starts afresh, and somebody is told.
            sessions.forget(item.sessionId);
            observer.fault(item.sessionId, record.offset, error);
            return;
          }
          sessions.noteTime(session, record.timestamp);
          if (session.abandoned.length > 0) observer.abandoned(session.abandoned);
          if (session.reception === 'duplicate') {
            observer.duplicate();
            return;
          }
          observer.event(event.type);
          if (session.reception === 'refused_setting')
            observer.refusedSetting(item.sessionId, session.refusal);
          if (session.turnRequest !== null) observer.turnRequest(item.sessionId, session.turnRequest);
          verdicts.forEach((verdict, i) => {
            const firstOffset = String(origins[i] ?? record.offset);
            const source = { ...place, firstOffset, offset: String(record.offset) };
            subscriber.next({ type: 'verdict', record, verdict: { ...verdict, source } });
          });
        },
        error: (error: unknown) => {
          subscriber.error(error);
        },
        complete: () => {
          subscriber.complete();
        },
      });
    });
}
