import type { Bounds, TopicPartition } from '@loopwatch/log';
import type { Database, Queryable } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { lockChanges } from '../storage/change-lock.ts';
import type { LatestSetAside } from './set-aside.ts';

/** The next offset to read from a partition, and the id of the topic if it is known; undefined before the first record. */
export async function storedPosition(
  tx: Queryable,
  { topic, partition }: TopicPartition,
): Promise<{ readonly next: number; readonly topicId: string | null } | undefined> {
  const [row] = await tx.query<{ next: number; topicId: string | null }>(
    'select next_offset as next, topic_id as "topicId" from topic_offsets where topic = $1 and partition = $2',
    [topic, partition],
  );
  return row;
}

/** Whether a position belongs to another topic of the same name. Databases of earlier versions, and some logs, know no ids. */
export function isOfAnother(
  topicId: string | undefined,
  stored: { topicId: string | null } | undefined,
): boolean {
  const id = stored?.topicId ?? undefined;
  return topicId !== undefined && id !== undefined && id !== topicId;
}

/** How many records of a partition were set aside so far. */
export async function readSetAside(
  tx: Queryable,
  { topic, partition }: TopicPartition,
): Promise<{ setAside: number; latest: LatestSetAside | null }> {
  const [row] = await tx.query<{ set_aside: number; latest_set_aside: LatestSetAside | null }>(
    'select set_aside, latest_set_aside from topic_offsets where topic = $1 and partition = $2',
    [topic, partition],
  );
  return { setAside: row?.set_aside ?? 0, latest: row?.latest_set_aside ?? null };
}

/** Call in the transaction that stores the records. */
export async function storeNextOffset(
  tx: Queryable,
  { topic, partition }: TopicPartition,
  next: number,
  topicId: string | undefined,
): Promise<void> {
  await tx.query(
    `insert into topic_offsets (topic, partition, next_offset, topic_id) values ($1, $2, $3, $4)
     on conflict (topic, partition) do update set next_offset = greatest(topic_offsets.next_offset, excluded.next_offset),
       topic_id = coalesce(excluded.topic_id, topic_offsets.topic_id)
     where topic_offsets.topic_id is null or excluded.topic_id is null or topic_offsets.topic_id = excluded.topic_id`,
    [topic, partition, next, topicId ?? null],
  );
}

/**
 * The offset to resume a partition from: where the last transaction ended, if the log still holds it. Lost records are
 * logged; a recreated topic is read from its start.
 */
export async function resumeAt(
  database: Database,
  topicPartition: TopicPartition,
  { start, end, topicId }: Bounds,
  logger: Logger,
): Promise<number> {
  const stored = await storedPosition(database, topicPartition);
  if (stored === undefined) return start;
  const { next: position } = stored;
  const isRecreated = isOfAnother(topicId, stored);
  if (position < start && !isRecreated) {
    logger.warn(
      { ...topicPartition, position, start, lost: start - position },
      'Unread records were deleted by the retention of the topic; continuing with the oldest record',
    );
    return start;
  }
  if (position <= end && !isRecreated) return position;
  logger.warn(
    { ...topicPartition, position, end },
    isRecreated
      ? 'The topic was deleted and created again; reading it from the start'
      : 'Topic ends before the stored offset: it was recreated or has lost records; reading it from the start',
  );
  await database.transaction(async (tx) => {
    await lockChanges(tx);
    await tx.query('delete from topic_offsets where topic = $1 and partition = $2', [
      topicPartition.topic,
      topicPartition.partition,
    ]);
    await storeNextOffset(tx, topicPartition, start, topicId);
  });
  return start;
}
