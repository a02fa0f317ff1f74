import type { StateChange, TopicPartition } from '../../port/task.ts';
import { type KafkaFetcher } from '../fetch/fetcher.ts';
import { listOffset } from '../fetch/offsets.ts';
import type { KafkaCluster } from '../internals/cluster.ts';
import type { RoutedRecord } from '../produce/messages.ts';

/**
 * The kept state of one partition's task: entries of a compacted topic, in the partition with the same number, so that
 * all of them are read in one go. Keys begin with group and place, since groups and topics share the topic.
 */
export class KafkaState {
  readonly #topic: string;
  readonly #prefix: string;
  readonly #place: TopicPartition;

  constructor(topic: string, groupId: string, place: TopicPartition) {
    this.#topic = topic;
    this.#place = place;
    this.#prefix = `${groupId}/${place.topic}/${place.partition}/`;
  }

  /** @param partitions of the state's topic; fewer than those of the input are enough */
  records(changes: readonly StateChange[], partitions: number): RoutedRecord[] {
    const partition = this.#partition(partitions);
    return changes.map(({ key, value }) => ({
      topic: this.#topic,
      partition,
      key: this.#prefix + key,
      value,
    }));
  }

  /** The latest value of each entry. Transactions that were aborted, or are still open, do not count. */
  async read(cluster: KafkaCluster, fetcher: KafkaFetcher): Promise<Map<string, string>> {
    const entries = new Map<string, string>();
    const topic = this.#topic;
    await cluster.addMultipleTargetTopics([topic]);
    const partition = this.#partition(cluster.findTopicPartitionMetadata(topic).length);
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

  #partition(partitions: number): number {
    return this.#place.partition % Math.max(1, partitions);
  }
}
