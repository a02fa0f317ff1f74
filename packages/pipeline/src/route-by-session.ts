import type { AgentEvent } from '@loopwatch/contract';
import type { OperatorFunction } from 'rxjs';
import type { EventRecord } from './decode-records.ts';
import { eachEvent } from './each-event.ts';
import type { PartitionSessions } from './partition-sessions.ts';
import type { DeadLetter, InputRecord } from './records.ts';
import type { SessionEntry } from './session-entry.ts';

/** An event at its session. */
export interface SessionEvent<R extends InputRecord = InputRecord> {
  readonly type: 'session_event';
  readonly record: R;
  readonly event: AgentEvent;
  readonly session: SessionEntry;
}

/**
 * Finds the session of each event, a new one where none is in memory; what is no event passes through. An event that a
 * restored session knows of already goes no further.
 */
export function routeBySession<R extends InputRecord>(
  sessions: PartitionSessions,
): OperatorFunction<EventRecord<R> | DeadLetter<R>, SessionEvent<R> | DeadLetter<R>> {
  return eachEvent((item, emit) => {
    const { record, event } = item;
    const session = sessions.use(item.sessionId, record.offset);
    if (session !== undefined) emit({ type: 'session_event', record, event, session });
  });
}
