import type { DeadLetterReason } from '@loopwatch/contract';
import { deadLetter, type LogRecord, type OutputRecord, type TopicPartition } from '@loopwatch/log';
import type { Queryable } from '@loopwatch/storage';

/** A record that cannot be stored, and why. */
export interface SetAside {
  readonly record: LogRecord;
  readonly reason: Extract<DeadLetterReason, 'invalid_record' | 'not_stored'>;
  readonly detail: string;
}

/** As stored with the position of the partition. */
export interface LatestSetAside {
  readonly offset: number;
  readonly reason: string;
  readonly detail: string;
  /** Wall clock, epoch ms. */
  readonly at: number;
}

const MAX_DETAIL_UNITS = 500;

/** The dead letters of records, for the topic of that name. */
export function deadLetters(
  topic: string,
  topicPartition: TopicPartition,
  set: readonly SetAside[],
): OutputRecord[] {
  return set.map(({ record, reason, detail }) => deadLetter(topic, record, topicPartition, reason, detail));
}

/** Call in the transaction that stores the position after them. */
export async function countSetAside(
  tx: Queryable,
  { topic, partition }: TopicPartition,
  set: readonly SetAside[],
  at: number,
): Promise<void> {
  const last = set.at(-1);
  if (last === undefined) return;
  const { record, reason, detail } = last;
  const latest: LatestSetAside = {
    offset: record.offset,
    reason,
    detail: detail.slice(0, MAX_DETAIL_UNITS),
    at,
  };
  await tx.query(
    'update topic_offsets set set_aside = set_aside + $3, latest_set_aside = $4::jsonb where topic = $1 and partition = $2',
    [topic, partition, set.length, JSON.stringify(latest)],
  );
}
