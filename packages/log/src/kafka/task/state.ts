import type { StateChange, TopicPartition } from '../../port/task.ts';
import type { KafkaFetcher } from '../fetch/fetcher.ts';
import { listOffset } from '../fetch/offsets.ts';
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
  readonly #place: TopicPartition;

  constructor(cluster: KafkaCluster, topic: string, groupId: string, place: TopicPartition) {
    this.#cluster = cluster;
    this.#topic = topic;
    this.#place = place;
    this.#prefix = `${groupId}/${place.topic}/${place.partition}/`;
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
    const end = await listOffset(cluster, topic, partition, false);
    const first = await listOffset(cluster, topic, partition, true);
    if (first >= end) return entries;
    const stream = await fetcher.open(topic, partition, first);
    try {
      for (let next = first; next < end; ) {
        const fetched = await stream.next();
        if (fetched === undefined) break;
        for (const { key, text } of fetched.records) {
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
    return this.#place.partition % Math.max(1, length);
  }
}
