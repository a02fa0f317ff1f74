import kafkajs, { type PartitionMetadata, type TopicMessages } from 'kafkajs';
import type { KafkaCluster } from '../internals/cluster.ts';
import { type RoutedRecord, toTopicMessages } from './messages.ts';

type Metadata = Pick<
  KafkaCluster,
  'addMultipleTargetTopics' | 'refreshMetadataIfNecessary' | 'findTopicPartitionMetadata'
>;

/** Records for one partition. */
export interface Lot extends TopicMessages {
  readonly partition: number;
}

/** By the key as Kafka's Java client does, without one in turn. */
const partitionOf = kafkajs.Partitioners.DefaultPartitioner();

/**
 * Records by partition, each lot to be sent by itself.
 *
 * kafkajs sends records for several partitions to all leaders at once, and what one of them refuses again, after asking
 * who leads what: a partition whose leader has changed by then is left out when its new leader has answered already,
 * and written twice when the old one had. It gives up when the first leader fails, while the others are still being
 * written to. With one partition at a time none of that can happen.
 *
 * @param cluster the producer's own: what another one knows of is left out by a producer that has not heard of it yet
 */
export async function byPartition(cluster: Metadata, records: readonly RoutedRecord[]): Promise<Lot[]> {
  const lots = new Map<string, Lot>();
  for (const { topic, messages } of toTopicMessages(records)) {
    await cluster.addMultipleTargetTopics([topic]);
    await cluster.refreshMetadataIfNecessary();
    const partitionMetadata = cluster.findTopicPartitionMetadata(topic) as PartitionMetadata[];
    for (const message of messages) {
      const partition = partitionOf({ topic, partitionMetadata, message });
      const place = `${topic}/${partition}`;
      const lot = lots.get(place) ?? { topic, partition, messages: [] };
      lot.messages.push({ ...message, partition });
      lots.set(place, lot);
    }
  }
  return [...lots.values()];
}

/** Waits for all, so that nothing is under way any more when this rejects; with the first failure then. */
export async function allSettled(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
