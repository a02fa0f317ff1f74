import { refusalText, reportOf } from '@loopwatch/detectors/internal';
import type { OperatorFunction } from 'rxjs';
import type { DeadLetter, InputRecord, Outcome, PipelineObserver, RaisedCheck } from '../records.ts';
import type { PartitionSessions } from '../sessions/partition-sessions.ts';
import { type Decoded, decodeContent, type EventRecord, type FaultPolicy } from './decode.ts';
import { eachRecord, failedRecord } from './each-record.ts';

/**
 * Routes each event to its session, which is created if it is not in memory, and runs the session's detectors. Emits their
 * verdicts, followed by the check that the event raised, if any; dead letters pass through. Sessions may interleave
 * freely: each sees only its own events, in order. Events that a restored snapshot already covers are dropped.
 *
 * @param faults with `skip`, a session restarts after an event at which detection failed: its state is unreliable
 */
export function detectLoops<R extends InputRecord>(
  sessions: PartitionSessions,
  observer: PipelineObserver,
  faults: FaultPolicy = 'error',
): OperatorFunction<Decoded<R>, Outcome<R> | RaisedCheck<R>> {
  const skip = (item: Decoded<R>, cause: unknown): DeadLetter<R> => {
    if (item.type === 'event') sessions.forget(item.sessionId, item.record.offset);
    return failedRecord(item.record, cause);
  };
  return eachRecord<Decoded<R>, Outcome<R> | RaisedCheck<R>>(
    ({ record }) => record,
    (item, emit) => {
      if (item.type === 'event') {
        detect(item, sessions, observer, emit);
        return;
      }
      if (item.type === 'erasure') {
        sessions.erase(item.sessionId, item.record.offset);
        emit(item);
        return;
      }
      if (item.reason === 'processing_failed') leaveOut(item.record, sessions);
      emit(item);
    },
    faults === 'skip' ? skip : undefined,
  );
}

function detect<R extends InputRecord>(
  { record, event, sessionId }: EventRecord<R>,
  sessions: PartitionSessions,
  observer: PipelineObserver,
  emit: (found: Outcome<R> | RaisedCheck<R>) => void,
): void {
  const entry = sessions.use(sessionId, record.offset);
  if (entry === undefined) return;
  const { analyzer } = entry;
  const pushed = analyzer.push(event, record.timestamp ?? analyzer.lastTime, record.offset);
  sessions.noteTime(analyzer, record.timestamp);
  if (pushed.isDuplicate) {
    observer.duplicate();
    return;
  }
  const { verdicts, origins, refusals, before, turnRequest } = pushed;
  const abandoned = before?.incidents.ids ?? [];
  if (abandoned.length > 0) observer.abandoned(abandoned);
  observer.event(event.type);
  if (before !== null) sessions.summaries?.noteRestart(entry, reportOf(before));
  sessions.summaries?.note(entry, event.type, record.offset, verdicts);
  if (refusals.length > 0) observer.refusedSetting(sessionId, refusalText(...refusals));
  if (turnRequest !== null) observer.turnRequest(sessionId, turnRequest);
  verdicts.forEach((verdict, i) => {
    const source = sessions.sourceOf(record.offset, origins[i]);
    emit({ type: 'verdict', record, verdict: { ...verdict, source } });
  });
  const check = analyzer.takeCheck();
  if (check !== undefined) emit({ type: 'check', record, session: analyzer, check });
}

/** A record that failed changes no session. A snapshot that covers it keeps replays from it too. */
function leaveOut(record: InputRecord, sessions: PartitionSessions): void {
  try {
    const decoded = decodeContent(record);
    if (decoded.type === 'event') sessions.noteUnrepeatable(decoded.sessionId);
  } catch {
    // It fails before its session is known, in a replay too.
  }
}
