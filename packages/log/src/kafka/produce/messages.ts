import kafkajs, { type PartitionMetadata, type RecordMetadata, type TopicMessages } from 'kafkajs';
import { LogError } from '../../port/errors.ts';
import { groupByTopic, type OutputRecord, sizeOf } from '../../port/records.ts';
import type { KafkaCluster } from '../internals/cluster.ts';

/** A record that is written to a given partition, not to the one its key says. */
export interface RoutedRecord extends OutputRecord {
  readonly partition?: number;
}

/**
 * kafkajs makes one record batch of all records for a partition, and brokers refuse batches over `max.message.bytes`
 * (1 MiB unless the topic says otherwise); records beyond this many bytes go in another request.
 */
export const requestBytes = 768 * 1024;

/** Cuts records into requests, in their order. */
export function* chunksOf(records: readonly RoutedRecord[]): Generator<readonly RoutedRecord[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, record] of records.entries()) {
    const size = sizeOf(record);
    if (index > start && bytes + size > requestBytes) {
      yield records.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (start < records.length) yield start === 0 ? records : records.slice(start);
}

/** As kafkajs takes them. */
export function toTopicMessages(records: readonly RoutedRecord[]): TopicMessages[] {
  return Array.from(groupByTopic(records), ([topic, ofTopic]) => ({
    topic,
    messages: ofTopic.map(({ key, value, headers, timestamp, partition }) => ({
      key,
      value,
      ...(partition !== undefined && { partition }),
      ...(headers !== undefined && { headers: headersOf(headers) }),
      ...(timestamp !== undefined && { timestamp: String(timestamp) }),
    })),
  }));
}

function headersOf(headers: Readonly<Record<string, Uint8Array>>): Record<string, Buffer> {
  return Object.fromEntries(Object.entries(headers).map(([name, bytes]) => [name, Buffer.from(bytes)]));
}

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

/** Partitions by topic, as requests of a transaction name them. */
export interface TopicPartitions {
  readonly topic: string;
  readonly partitions: readonly number[];
}

/**
 * kafkajs passes on what brokers refuse, and takes what they do not speak of for done: it leaves out a partition that is
 * missing from its metadata, and confirms it all the same.
 *
 * @param end the offset that the partition ended at before: a broker that takes records for a repetition answers with
 *   the place of the first ones
 * @returns the offset behind the lot
 * @throws LogError `not_written`
 */
export function requireAppended(lot: Lot, answers: readonly RecordMetadata[], end: number): number {
  const { topic, partition, messages } = lot;
  const answer = answers.find((each) => each.topicName === topic && each.partition === partition);
  const offset = Number(answer?.baseOffset ?? -1);
  if (offset >= end && offset >= 0) return offset + messages.length;
  const count = `${messages.length} record${messages.length === 1 ? '' : 's'}`;
  const reason =
    offset < 0
      ? 'no broker says where it has put them'
      : `the broker says it has them at offset ${offset}, but the partition ended at ${end} before they were sent`;
  throw new LogError('not_written', `${count} for ${topic}/${partition} were not written: ${reason}.`);
}

/**
 * @param what what was asked for these partitions, as in "Kafka did not confirm <what>"
 * @throws LogError `not_written` when an answer without errors leaves out a partition
 */
export function requireAnswered(
  what: string,
  asked: readonly TopicPartitions[],
  answered: readonly TopicPartitions[],
): void {
  const named = new Set(answered.flatMap(placesOf));
  const silent = asked.flatMap(placesOf).filter((place) => !named.has(place));
  if (silent.length === 0) return;
  throw new LogError('not_written', `Kafka did not confirm ${what} for ${silent.join(', ')}.`);
}

function placesOf({ topic, partitions }: TopicPartitions): string[] {
  return partitions.map((partition) => `${topic}/${partition}`);
}
