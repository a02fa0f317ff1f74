import { backoff } from '@loopwatch/contract';
import { delay } from '@loopwatch/platform';
import { LogError } from '../../port/errors.ts';
import { nameOf, type TopicPartition } from '../../port/task.ts';
import type { Bounds } from '../../port/topic-reader.ts';
import type { KafkaCluster } from '../internals/cluster.ts';

/**
 * The first offset of a partition, or the one that its next record will get.
 *
 * kafkajs asks the leader in its cached metadata and does not refresh that metadata itself. After a failure, this refreshes
 * the metadata and asks the current leader once.
 */
export async function listOffset(
  cluster: KafkaCluster,
  topic: string,
  partition: number,
  fromBeginning: boolean,
): Promise<number> {
  const ask = () => cluster.fetchTopicsOffset([{ topic, partitions: [{ partition }], fromBeginning }]);
  await cluster.addMultipleTargetTopics([topic]);
  const answers = await ask().catch(async () => {
    await cluster.refreshMetadata();
    return ask();
  });
  const offset = answers[0]?.partitions[0]?.offset;
  if (offset === undefined)
    throw new LogError('broker_unreachable', `No broker leads ${topic}/${partition} at the moment.`);
  return Number(offset);
}

/** Both offsets of {@link listOffset}. */
export async function listBounds(
  cluster: KafkaCluster,
  { topic, partition }: TopicPartition,
): Promise<Bounds> {
  const start = await listOffset(cluster, topic, partition, true);
  return { start, end: await listOffset(cluster, topic, partition, false) };
}

/** The end offsets of these partitions by `topic/partition`; unknown ones are missing. */
export async function endOffsets(
  cluster: KafkaCluster,
  topicPartitions: readonly TopicPartition[],
): Promise<Map<string, number>> {
  const topics = new Map<string, TopicPartition[]>();
  for (const topicPartition of topicPartitions)
    topics.set(topicPartition.topic, [...(topics.get(topicPartition.topic) ?? []), topicPartition]);
  const ends = new Map<string, number>();
  if (topics.size === 0) return ends;
  try {
    const answers = await cluster.fetchTopicsOffset(
      Array.from(topics, ([topic, partitions]) => ({ topic, partitions, fromBeginning: false })),
    );
    for (const { topic, partitions } of answers)
      for (const { partition, offset } of partitions) ends.set(nameOf({ topic, partition }), Number(offset));
  } catch {
    // The fetcher logs the failure; the next call finds the new leader.
    await cluster.refreshMetadata().catch(() => undefined);
  }
  return ends;
}

/** Attempts to list the end offset of a partition without a leader; they last about as long as kafkajs retries a write. */
const END_TRIES = 20;

/** The end offset of a partition, once it has a leader; whether it includes uncommitted records, the cluster decides. */
export async function endOffset(
  cluster: KafkaCluster,
  { topic, partition }: TopicPartition,
): Promise<number> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await listOffset(cluster, topic, partition, false);
    } catch (error) {
      if (attempt === END_TRIES) throw error;
      await delay(backoff(attempt, 20, 500));
      await cluster.refreshMetadata().catch(() => undefined);
    }
  }
}
