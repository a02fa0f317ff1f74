import type { AgentEvent } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import type { RecordReader, TopicPartition } from '@loopwatch/log';

/** The position of a session's events in the log. */
export interface RecordedSession {
  readonly sessionId: string;
  readonly topic: string;
  readonly partition: number;
  readonly first: number;
  /** As of the latest summary. */
  readonly last: number;
  /** Whether there may be events after the latest summary. */
  readonly live: boolean;
}

/** An event in log order, or the end of a session. */
export type RecordedItem =
  | { readonly session: RecordedSession; readonly event: AgentEvent; readonly timestamp: number }
  | { readonly ended: RecordedSession; readonly complete: boolean };

const CHUNK_RECORDS = 2_000;

/**
 * Reads sessions from the log, each record once even when sessions overlap. Live sessions are read up to the end of the log at
 * the start.
 *
 * @throws the reader's error, or the signal's reason
 */
export async function* recordedSessions(
  reader: RecordReader,
  sessions: readonly RecordedSession[],
  signal: AbortSignal,
): AsyncGenerator<RecordedItem> {
  for (const stretch of stretchesOf(await withCurrentEnds(reader, sessions))) {
    yield* readStretch(reader, stretch, signal);
  }
}

async function withCurrentEnds(
  reader: RecordReader,
  sessions: readonly RecordedSession[],
): Promise<RecordedSession[]> {
  const ends = new Map<string, number>();
  for (const { live, topic, partition } of sessions) {
    const name = partitionName({ topic, partition });
    if (live && !ends.has(name)) ends.set(name, (await reader.bounds({ topic, partition })).end);
  }
  return sessions.map((session) =>
    session.live
      ? { ...session, last: Math.max(session.last, (ends.get(partitionName(session)) ?? 0) - 1) }
      : session,
  );
}

function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}/${String(partition)}`;
}

/** Sessions of one partition whose offsets overlap. */
function stretchesOf(sessions: readonly RecordedSession[]): RecordedSession[][] {
  const stretches: { sessions: RecordedSession[]; last: number }[] = [];
  for (const session of sessions.toSorted(byPlace)) {
    const open = stretches.at(-1);
    const [other] = open?.sessions ?? [];
    const overlaps = other?.topic === session.topic && other.partition === session.partition;
    if (open !== undefined && overlaps && session.first <= open.last) {
      open.sessions.push(session);
      open.last = Math.max(open.last, session.last);
    } else stretches.push({ sessions: [session], last: session.last });
  }
  return stretches.map((stretch) => stretch.sessions);
}

async function* readStretch(
  reader: RecordReader,
  sessions: readonly RecordedSession[],
  signal: AbortSignal,
): AsyncGenerator<RecordedItem> {
  const [{ topic, partition } = { topic: '', partition: 0 }] = sessions;
  const topicPartition = { topic, partition };
  const byId = new Map(sessions.map((session) => [session.sessionId, session]));
  const byEnd = sessions.toSorted((a, b) => a.last - b.last);
  const last = byEnd.at(-1)?.last ?? -1;
  let endedCount = 0;
  const { start, end } = await reader.bounds(topicPartition);
  let next = Math.max(start, Math.min(...sessions.map(({ first }) => first)));
  while (next <= last && next < end) {
    signal.throwIfAborted();
    const range = await reader.read(topicPartition, next, Math.min(CHUNK_RECORDS, last + 1 - next));
    if (range.next <= next) break;
    for (const record of range.records) {
      const { offset, timestamp } = record;
      const decoded = decodeEvent(record);
      const session = decoded.ok ? byId.get(decoded.sessionId) : undefined;
      if (!decoded.ok || session === undefined || offset < session.first || offset > session.last) continue;
      yield { session, event: decoded.event, timestamp };
    }
    next = range.next;
    // Report ended sessions early, so that they are freed while others continue.
    for (
      let session = byEnd[endedCount];
      session !== undefined && session.last < next;
      session = byEnd[endedCount]
    ) {
      yield { ended: session, complete: session.first >= start };
      endedCount += 1;
    }
  }
  for (const session of byEnd.slice(endedCount)) yield { ended: session, complete: session.first >= start };
}

function byPlace(a: RecordedSession, b: RecordedSession): number {
  if (a.topic !== b.topic) return a.topic < b.topic ? -1 : 1;
  return a.partition - b.partition || a.first - b.first;
}
