import kafkajs, { type PartitionMetadata, type RecordMetadata, type TopicMessages } from 'kafkajs';
import { LogError } from '../../port/errors.ts';
import { groupByTopic, type OutputRecord, sizeOf } from '../../port/records.ts';
import { isTimeRefused } from '../client/errors.ts';
import type { KafkaCluster, TopicPartitions } from '../internals/cluster.ts';

/** A record that may name its partition instead of leaving it to the partitioner. */
export interface RoutedRecord extends OutputRecord {
  readonly partition?: number;
}

/**
 * kafkajs puts all records for a partition into one record batch, and brokers reject batches larger than
 * `max.message.bytes` (1 MiB by default). Records beyond this many bytes therefore go into another request.
 */
export const REQUEST_BYTES = 768 * 1024;

/** Splits records into requests, keeping their order. */
export function* chunksOf(records: readonly RoutedRecord[]): Generator<readonly RoutedRecord[]> {
  let start = 0;
  let bytes = 0;
  for (const [index, record] of records.entries()) {
    const size = sizeOf(record);
    if (index > start && bytes + size > REQUEST_BYTES) {
      yield records.slice(start, index);
      start = index;
      bytes = 0;
    }
    bytes += size;
  }
  if (start < records.length) yield start === 0 ? records : records.slice(start);
}

/** Converts records to the form that kafkajs expects. */
function toTopicMessages(records: readonly RoutedRecord[]): TopicMessages[] {
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
export interface PartitionBatch extends TopicMessages {
  readonly partition: number;
}

/** By key like Kafka's Java client; records without a key are spread round-robin. */
const partitionOf = kafkajs.Partitioners.DefaultPartitioner();

/**
 * Groups records by partition; each batch is sent in its own request.
 *
 * kafkajs sends records for several partitions to all leaders at once, and retries the failed ones after refreshing its
 * metadata. If a partition's leader has changed by then, its records are skipped when the new leader has already answered,
 * and written twice when the old one had. It also rejects when the first leader fails, while writes to the others are still
 * in flight. With one partition per request, none of this can happen.
 *
 * @param cluster the producer's own cluster: a producer silently skips partitions that its own metadata does not contain
 */
export async function byPartition(
  cluster: Metadata,
  records: readonly RoutedRecord[],
): Promise<PartitionBatch[]> {
  const batches = new Map<string, PartitionBatch>();
  for (const { topic, messages } of toTopicMessages(records)) {
    await cluster.addMultipleTargetTopics([topic]);
    await cluster.refreshMetadataIfNecessary();
    const partitionMetadata = cluster.findTopicPartitionMetadata(topic) as PartitionMetadata[];
    for (const message of messages) {
      const partition = partitionOf({ topic, partitionMetadata, message });
      const partitionName = `${topic}/${partition}`;
      const batch = batches.get(partitionName) ?? { topic, partition, messages: [] };
      batch.messages.push({ ...message, partition });
      batches.set(partitionName, batch);
    }
  }
  return [...batches.values()];
}

/** Kafka's timestamp for "none", which brokers accept from any clock. */
const NO_TIMESTAMP = '-1';

/**
 * Sends a batch. kafkajs stamps records without a time of their own with the wall clock, and brokers refuse them when it is an
 * hour or more ahead: they are then sent without a time.
 */
export async function sendTimed<T>(
  batch: PartitionBatch,
  send: (batch: PartitionBatch) => Promise<T>,
): Promise<T> {
  try {
    return await send(batch);
  } catch (error) {
    const isStamped = batch.messages.some(({ timestamp }) => timestamp === undefined);
    if (!isTimeRefused(error) || !isStamped) throw error;
    const messages = batch.messages.map((message) => ({ timestamp: NO_TIMESTAMP, ...message }));
    return send({ ...batch, messages });
  }
}

/** Waits for all promises, then rejects with the first failure, so that nothing is still in flight. */
export async function allSettled(works: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(works);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/**
 * Requires that a broker confirmed the batch. kafkajs reports errors of brokers, but treats a partition that is missing from
 * the response as written; it also skips and confirms a partition that is missing from its metadata.
 *
 * @param end the end offset of the partition before the write: a broker that takes the records for duplicates answers with
 *   the offset of the originals
 * @returns the offset after the batch
 * @throws LogError `not_written`
 */
export function requireAppended(
  batch: PartitionBatch,
  answers: readonly RecordMetadata[],
  end: number,
): number {
  const { topic, partition, messages } = batch;
  const answer = answers.find((each) => each.topicName === topic && each.partition === partition);
  const offset = Number(answer?.baseOffset ?? -1);
  if (offset >= end && offset >= 0) return offset + messages.length;
  const count = `${messages.length} record${messages.length === 1 ? '' : 's'}`;
  const reason =
    offset < 0
      ? 'no broker returned their offset'
      : `the broker returned offset ${offset}, but the partition already ended at ${end} before they were sent`;
  throw new LogError('not_written', `${count} for ${topic}/${partition} were not written: ${reason}.`);
}

/**
 * @param what the request, as in "Kafka did not confirm <what>"
 * @throws LogError `not_written` when a response without errors omits a partition
 */
export function requireAnswered(
  what: string,
  asked: readonly TopicPartitions[],
  answered: readonly TopicPartitions[],
): void {
  const confirmed = new Set(answered.flatMap(namesOf));
  const missing = asked.flatMap(namesOf).filter((name) => !confirmed.has(name));
  if (missing.length === 0) return;
  throw new LogError('not_written', `Kafka did not confirm ${what} for ${missing.join(', ')}.`);
}

function namesOf({ topic, partitions }: TopicPartitions): string[] {
  return partitions.map((partition) => `${topic}/${partition}`);
}
