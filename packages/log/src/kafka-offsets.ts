import { LogError } from './errors.ts';
import type { KafkaCluster } from './kafka-cluster.ts';

/**
 * The first offset of a partition, or the one that its next record will get.
 *
 * kafkajs asks whoever led the partition when it last looked, and does not look again by itself: after a failure the
 * cluster is asked who leads it now, and that one once.
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
    throw new LogError('request_failed', `No broker leads ${topic}/${partition} at the moment.`);
  return Number(offset);
}
