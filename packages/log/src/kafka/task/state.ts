import { readJson } from '@loopwatch/contract';
import * as z from 'zod';
import { fromMark } from '../../port/committed-mark.ts';
import type { StateChange, StepPosition, TopicPartition } from '../../port/task.ts';
import type { KafkaFetcher } from '../fetch/fetcher.ts';
import { listBounds } from '../fetch/offsets.ts';
import type { KafkaCluster } from '../internals/cluster.ts';
import type { RoutedRecord } from '../produce/messages.ts';

/**
 * The saved state of one partition's task: entries of a compacted topic, in the partition with the same number, so that one
 * sequential read returns them all. Keys start with the group and the topic partition, because groups and topics share the
 * state topic.
 */
export class KafkaState {
  readonly #cluster: KafkaCluster;
  readonly #topic: string;
  readonly #prefix: string;
  readonly #topicPartition: TopicPartition;

  constructor(cluster: KafkaCluster, topic: string, groupId: string, topicPartition: TopicPartition) {
    this.#cluster = cluster;
    this.#topic = topic;
    this.#topicPartition = topicPartition;
    this.#prefix = `${groupId}/${topicPartition.topic}/${topicPartition.partition}/`;
  }

  /** The changes as records of the state topic. */
  records(changes: readonly StateChange[]): RoutedRecord[] {
    const partition = this.#partition();
    return changes.map(({ key, value }) => ({
      topic: this.#topic,
      partition,
      key: this.#prefix + key,
      value,
    }));
  }

  /** The latest committed value of each entry; aborted and open transactions are ignored. */
  async read(fetcher: KafkaFetcher): Promise<Map<string, string>> {
    const entries = new Map<string, string>();
    const cluster = this.#cluster;
    const topic = this.#topic;
    await cluster.addMultipleTargetTopics([topic]);
    const partition = this.#partition();
    const { start, end } = await listBounds(cluster, { topic, partition });
    if (start >= end) return entries;
    const stream = await fetcher.open(topic, partition, start);
    try {
      for (let next = start; next < end; ) {
        const fetched = await stream.next();
        if (fetched === undefined) break;
        for (const { key, text, offset, rejection } of fetched.records) {
          // Whose entries they were cannot be told: the task learns that some are missing.
          if (rejection !== undefined) entries.set(`unreadable/${offset}`, rejection.message);
          const name = key?.toString() ?? '';
          if (!name.startsWith(this.#prefix)) continue;
          const entry = name.slice(this.#prefix.length);
          if (text === null) entries.delete(entry);
          else entries.set(entry, text);
        }
        next = fetched.next;
      }
    } finally {
      stream.close();
    }
    return entries;
  }

  /** The state topic may have fewer partitions than the input topic. */
  #partition(): number {
    const { length } = this.#cluster.findTopicPartitionMetadata(this.#topic);
    return this.#topicPartition.partition % Math.max(1, length);
  }
}

/** What a group has committed for a partition. */
export interface CommittedPosition {
  /** The offset of the next record to process. */
  readonly position: number;
  /** `undefined` when another client committed the offset: the saved state does not belong to it. */
  readonly step: StepPosition | undefined;
  /** The topic to which the position belongs; `undefined` if that was not stored. */
  readonly topicId: string | undefined;
}

/** @returns `undefined` when the group has committed nothing for the partition */
export async function committedPosition(
  cluster: KafkaCluster,
  groupId: string,
  { topic, partition }: TopicPartition,
): Promise<CommittedPosition | undefined> {
  const coordinator = await cluster.findGroupCoordinator({ groupId });
  const { responses } = await coordinator.offsetFetch({
    groupId,
    topics: [{ topic, partitions: [{ partition }] }],
  });
  const found = responses[0]?.partitions[0];
  const position = Number(found?.offset ?? -1);
  if (found === undefined || position < 0) return undefined;
  const metadata = readJson(found.metadata ?? '', metadataSchema);
  return {
    position,
    topicId: metadata.ok ? metadata.value.topicId : undefined,
    step: metadata.ok ? fromMark(position, metadata.value.resumeFrom, metadata.value.own) : undefined,
  };
}

/** An offset set by hand has other metadata or none. */
const metadataSchema = z.object({
  resumeFrom: z.number().int().nonnegative(),
  own: z.unknown().optional(),
  topicId: z.string().optional(),
});
