import type { AgentEvent } from '@loopwatch/contract';
import { decodeEvent } from '@loopwatch/contract/check';
import type { RecordReader, TopicPartition } from '@loopwatch/log';

/** Where a session's events lie. */
export interface RecordedSession {
  readonly sessionId: string;
  readonly topic: string;
  readonly partition: number;
  readonly first: number;
  /** As of its latest summary. */
  readonly last: number;
  /** Whether it goes on, so that the log may have more of it than its summary knows. */
  readonly live: boolean;
}

/** One event in the order of the log, or the end of a session. */
export type RecordedItem =
  | { readonly session: RecordedSession; readonly event: AgentEvent; readonly timestamp: number }
  | { readonly ended: RecordedSession; readonly complete: boolean };

const piece = 2_000;

/**
 * Reads many sessions back from the log, each record once however many sessions lie between each other, and hands over
 * control after every few records. Sessions that go on are read to the end that the log has when reading begins.
 *
 * @throws whatever the reader throws, or the signal's reason
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
    const place = placeName({ topic, partition });
    if (live && !ends.has(place)) ends.set(place, (await reader.bounds({ topic, partition })).end);
  }
  return sessions.map((session) =>
    session.live
      ? { ...session, last: Math.max(session.last, (ends.get(placeName(session)) ?? 0) - 1) }
      : session,
  );
}

function placeName({ topic, partition }: TopicPartition): string {
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
  const place = { topic, partition };
  const byId = new Map(sessions.map((session) => [session.sessionId, session]));
  const byEnd = sessions.toSorted((a, b) => a.last - b.last);
  const last = byEnd.at(-1)?.last ?? -1;
  let told = 0;
  const { start, end } = await reader.bounds(place);
  let next = Math.max(start, Math.min(...sessions.map(({ first }) => first)));
  while (next <= last && next < end) {
    signal.throwIfAborted();
    const range = await reader.read(place, next, Math.min(piece, last + 1 - next));
    if (range.next <= next) break;
    for (const record of range.records) {
      const { offset, timestamp } = record;
      const decoded = decodeEvent(record);
      const session = decoded.ok ? byId.get(decoded.sessionId) : undefined;
      if (!decoded.ok || session === undefined || offset < session.first || offset > session.last) continue;
      yield { session, event: decoded.event, timestamp };
    }
    next = range.next;
    // What is over is freed while others go on.
    for (let session = byEnd[told]; session !== undefined && session.last < next; session = byEnd[told]) {
      yield { ended: session, complete: session.first >= start };
      told += 1;
    }
  }
  for (const session of byEnd.slice(told)) yield { ended: session, complete: session.first >= start };
}

function byPlace(a: RecordedSession, b: RecordedSession): number {
  if (a.topic !== b.topic) return a.topic < b.topic ? -1 : 1;
  return a.partition - b.partition || a.first - b.first;
}
