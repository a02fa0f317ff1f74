import type { Bounds, TopicPartition } from '@loopwatch/log';
import type { Database, Queryable } from '@loopwatch/storage';
import type { Logger } from 'pino';
import { lockChanges } from '../storage/change-lock.ts';

/** Up to where the server has read a partition; undefined before the first record. */
export async function positionOf(
  tx: Queryable,
  { topic, partition }: TopicPartition,
): Promise<number | undefined> {
  const rows = await tx.query<{ next: number }>(
    'select next from positions where topic = $1 and partition = $2',
    [topic, partition],
  );
  return rows[0]?.next;
}

/** Belongs into the transaction that stores what was read. */
export async function setPosition(
  tx: Queryable,
  { topic, partition }: TopicPartition,
  next: number,
): Promise<void> {
  await tx.query(
    `insert into positions (topic, partition, next) values ($1, $2, $3)
     on conflict (topic, partition) do update set next = greatest(positions.next, excluded.next)`,
    [topic, partition, next],
  );
}

/**
 * Where to go on reading a partition: where the last transaction ended, if the log still goes that far. What it no longer
 * holds is said, and what a topic that was recreated holds is read from its start.
 */
export async function resumeAt(
  database: Database,
  place: TopicPartition,
  { start, end }: Bounds,
  logger: Logger,
): Promise<number> {
  const position = await positionOf(database, place);
  if (position === undefined) return start;
  if (position < start) {
    logger.warn(
      { ...place, position, start },
      `${place.topic} no longer holds ${String(start - position)} records that were not read yet: its retention has taken them. Reading goes on with the oldest there is`,
    );
    return start;
  }
  if (position <= end) return position;
  logger.warn(
    { ...place, position, end },
    `${place.topic} ends at ${String(end)}, before the ${String(position)} that was reached: it was deleted and recreated, or lost records. It is read from its start; what is stored already stays`,
  );
  await database.transaction(async (tx) => {
    await lockChanges(tx);
    await tx.query('delete from positions where topic = $1 and partition = $2', [
      place.topic,
      place.partition,
    ]);
    await setPosition(tx, place, start);
  });
  return start;
}
