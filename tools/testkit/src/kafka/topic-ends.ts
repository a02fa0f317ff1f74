import kafkajs, { type SeekEntry } from 'kafkajs';
import { waitFor } from '../wait-for.ts';

/**
 * The first and the end offset of each partition of a topic.
 *
 * A restarted broker may briefly report a stale leader, which a kafkajs admin keeps using, so each attempt creates a new
 * admin.
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
  return waitFor(attempt, { describe: `the leaders of ${topic}` });
}
