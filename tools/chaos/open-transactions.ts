import { waitFor } from '@loopwatch/testkit';
import { createKafkaCluster, type KafkaCluster } from '../../packages/log/src/kafka/internals/cluster.ts';

const READ_UNCOMMITTED = 0;
const READ_COMMITTED = 1;

/**
 * Transactions that never end: a coordinator that lost its log has forgotten them, and read-committed consumers wait
 * before them forever.
 *
 * @param timeoutMs how long a transaction may take until its coordinator aborts it
 * @returns one message per affected partition
 */
export async function openTransactions(
  brokers: readonly string[],
  topics: readonly string[],
  timeoutMs: number,
): Promise<string[]> {
  const cluster = createKafkaCluster({ brokers: [...brokers], clientId: 'chaos-transactions' });
  await cluster.connect();
  try {
    await cluster.addMultipleTargetTopics(topics);
    let held: string[] = [];
    const none = async () => {
      held = await heldBack(cluster, topics);
      return held.length === 0;
    };
    await waitFor(none, { timeoutMs, describe: () => 'all transactions to end' }).catch(() => undefined);
    return held;
  } finally {
    await cluster.disconnect();
  }
}

async function heldBack(cluster: KafkaCluster, topics: readonly string[]): Promise<string[]> {
  const wanted = topics.map((topic) => ({
    topic,
    partitions: cluster
      .findTopicPartitionMetadata(topic)
      .map(({ partitionId: partition }) => ({ partition })),
    fromBeginning: false,
  }));
  const ends = async (isolationLevel: number) => {
    cluster.isolationLevel = isolationLevel;
    const found = await cluster.fetchTopicsOffset(wanted);
    return found.flatMap(({ topic, partitions }) =>
      partitions.map(({ partition, offset }) => ({ name: `${topic}/${partition}`, end: Number(offset) })),
    );
  };
  const committed = new Map((await ends(READ_COMMITTED)).map(({ name, end }) => [name, end]));
  return (await ends(READ_UNCOMMITTED)).flatMap(({ name, end }) => {
    const readable = committed.get(name) ?? end;
    return readable >= end
      ? []
      : [`${name}: a transaction never ends; ${end - readable} records after ${readable} cannot be read`];
  });
}
