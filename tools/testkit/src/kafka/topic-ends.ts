import kafkajs, { type SeekEntry } from 'kafkajs';
import { waitFor } from '../wait-for.ts';

/**
 * Where the partitions of a topic begin and end.
 *
 * A broker that was away may name a leader of the past for a moment, and an admin of kafkajs goes on asking that one: each
 * attempt has an admin of its own.
 */
export function topicEnds(
  kafka: kafkajs.Kafka,
  topic: string,
): Promise<(SeekEntry & { readonly high: string; readonly low: string })[]> {
  const attempt = async () => {
    const admin = kafka.admin();
    await admin.connect();
    try {
      return await admin.fetchTopicOffsets(topic);
    } catch (error) {
      const isStale =
        error instanceof kafkajs.KafkaJSProtocolError && error.type === 'NOT_LEADER_FOR_PARTITION';
      if (isStale) return undefined;
      throw error;
    } finally {
      await admin.disconnect();
    }
  };
  return waitFor(attempt, { timeoutMs: 30_000, describe: `the leaders of ${topic}` });
}
