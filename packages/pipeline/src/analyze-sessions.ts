import { Observable, type OperatorFunction } from 'rxjs';
import type { EventRecord } from './decode-records.ts';
import type { PartitionSessions } from './partition-sessions.ts';
import type { InputRecord, Outcome, PipelineObserver, Place } from './records.ts';
import type { RaisedCheck } from './semantic-checks.ts';

/**
 * Hands each event to its session and passes on the verdicts; what is no event passes through. Sessions may be
 * interleaved as they like: each sees its own events, in their order.
 */
export function analyzeSessions<R extends InputRecord>(
  sessions: PartitionSessions,
  place: Place,
  observer: PipelineObserver,
): OperatorFunction<EventRecord<R> | Outcome<R>, Outcome<R>>;
/** @param judged whether somebody answers the checks of the sessions; they come right after the event's verdicts */
export function analyzeSessions<R extends InputRecord>(
  sessions: PartitionSessions,
  place: Place,
  observer: PipelineObserver,
  judged: boolean,
): OperatorFunction<EventRecord<R> | Outcome<R>, Outcome<R> | RaisedCheck<R>>;
export function analyzeSessions<R extends InputRecord>(
  sessions: PartitionSessions,
  place: Place,
  observer: PipelineObserver,
  judged = false,
): OperatorFunction<EventRecord<R> | Outcome<R>, Outcome<R> | RaisedCheck<R>> {
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
          const entry = sessions.use(item.sessionId, record.offset);
          if (entry === undefined) return;
          const session = entry.analyzer;
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
          sessions.news?.note(entry, event.type, record.offset, verdicts);
          if (session.reception === 'refused_setting')
            observer.refusedSetting(item.sessionId, session.refusal);
          if (session.turnRequest !== null) observer.turnRequest(item.sessionId, session.turnRequest);
          verdicts.forEach((verdict, i) => {
            const firstOffset = String(origins[i] ?? record.offset);
            const source = { ...place, firstOffset, offset: String(record.offset) };
            subscriber.next({ type: 'verdict', record, verdict: { ...verdict, source } });
          });
          const check = judged ? session.takeCheck() : undefined;
          if (check !== undefined) subscriber.next({ type: 'check', record, session, check });
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
