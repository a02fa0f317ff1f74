import type { Pushed } from '@loopwatch/detectors';
import type { OperatorFunction } from 'rxjs';
import { eachEvent } from './each-event.ts';
import type { PartitionSessions } from './partition-sessions.ts';
import {
  type DeadLetter,
  type InputRecord,
  type Outcome,
  type PipelineObserver,
  type Place,
  sourceOf,
} from './records.ts';
import type { SessionEvent } from './route-by-session.ts';
import type { RaisedCheck } from './semantic-checks.ts';

/**
 * Hands each event to the detectors of its session and passes on their verdicts, and behind them the check that the event
 * raised; what is no event passes through. Sessions may be interleaved as they like: each sees its own events, in
 * their order.
 */
export function detectLoops<R extends InputRecord>(
  sessions: PartitionSessions,
  place: Place,
  observer: PipelineObserver,
): OperatorFunction<SessionEvent<R> | DeadLetter<R>, Outcome<R> | RaisedCheck<R>> {
  return eachEvent((item, emit) => {
    const { record, event, session: entry } = item;
    const { analyzer } = entry;
    const { sessionId } = analyzer;
    let pushed: Pushed;
    try {
      pushed = analyzer.push(event, record.timestamp ?? analyzer.lastTime, record.offset);
    } catch (error) {
      // A fault of ours must not stop the stream: the session restarts, and the observer hears of it.
      sessions.forget(sessionId);
      observer.fault(sessionId, record.offset, error);
      return;
    }
    sessions.noteTime(analyzer, record.timestamp);
    if (pushed.isDuplicate) {
      observer.duplicate();
      return;
    }
    const { verdicts, origins, refusal, abandoned, turnRequest } = pushed;
    if (abandoned.length > 0) observer.abandoned(abandoned);
    observer.event(event.type);
    sessions.news?.note(entry, event.type, record.offset, verdicts);
    if (refusal !== null) observer.refusedSetting(sessionId, refusal);
    if (turnRequest !== null) observer.turnRequest(sessionId, turnRequest);
    verdicts.forEach((verdict, i) => {
      const source = sourceOf(place, record.offset, origins[i]);
      emit({ type: 'verdict', record, verdict: { ...verdict, source } });
    });
    const check = analyzer.takeCheck();
    if (check !== undefined) emit({ type: 'check', record, session: analyzer, check });
  });
}
