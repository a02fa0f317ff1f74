import kafkajs, { type SeekEntry } from 'kafkajs';
import { waitFor } from '../wait-for.ts';

/** Of kafkajs' isolation levels the one that counts the records of transactions whose markers are not written yet. */
const READ_UNCOMMITTED = 0;

/**
 * The first and the end offset of each partition of a topic, records of open transactions included: a broker confirms a
 * commit before it writes the markers that show its records.
 *
 * A restarted broker may briefly report a stale leader, which a kafkajs admin keeps using, so each attempt creates a new
 * admin.
 */
export function topicEnds(
  kafka: kafkajs.Kafka,
  topic: string,
): Promise<(SeekEntry & { readonly high: string; readonly low: string })[]> {
  const attempt = async () => {
    const admin = uncommittedAdmin(kafka);
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

/** An admin that lists uncommitted ends, for which kafkajs has no option. */
function uncommittedAdmin(kafka: kafkajs.Kafka): kafkajs.Admin {
  const name = Object.getOwnPropertySymbols(kafka).find(
    ({ description }) => description === 'private:Kafka:createCluster',
  );
  if (name === undefined) throw new Error('This version of kafkajs does not expose its cluster.');
  const make = Reflect.get(kafka, name) as (options: object) => unknown;
  Reflect.set(kafka, name, (options: object) => make({ ...options, isolationLevel: READ_UNCOMMITTED }));
  const admin = kafka.admin();
  Reflect.set(kafka, name, make);
  return admin;
}
