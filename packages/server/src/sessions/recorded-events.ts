import type { AgentEvent, SessionSummary } from '@loopwatch/contract';
import type { RecordReader } from '@loopwatch/log';
import type { Queryable } from '@loopwatch/storage';
import { scanForward } from './scan-records.ts';

/** Records that are read for one session, those of other sessions included: its agent waits for them. */
const MAX_RECORDS = 20_000;

export interface RecordedEvent {
  readonly event: AgentEvent;
  readonly timestamp: number;
}

/**
 * What the log holds of a session, in order, since its latest long pause; of a session that has more records, the latest.
 *
 * @param since a session without events since then, epoch ms, starts from zero
 */
export async function recordedEvents(
  database: Queryable,
  reader: RecordReader,
  sessionId: string,
  since: number,
): Promise<RecordedEvent[]> {
  const [stored] = await database.query<Pick<SessionSummary, 'source'>>(
    `select d.doc->'source' as source from sessions s join session_docs d on d.id = s.id
     where s.id = $1 and s.last_event_at >= $2`,
    [sessionId, since],
  );
  if (stored === undefined) return [];
  const { topic, partition, firstOffset } = stored.source;
  const topicPartition = { topic, partition };
  const { start, end } = await reader.bounds(topicPartition);
  const from = Math.max(Number(firstOffset), start, end - MAX_RECORDS);
  const scan = { reader, topicPartition, sessionId, budget: MAX_RECORDS };
  const { records } = await scanForward(scan, from, end, Number.POSITIVE_INFINITY);
  return records.flatMap(({ decoded, timestamp }) =>
    decoded.ok ? [{ event: decoded.event, timestamp }] : [],
  );
}
