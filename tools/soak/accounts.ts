import { deadLetterHeaders } from '@loopwatch/contract';
import { createKafkaTopicReader } from '@loopwatch/log';
import { topicEnds } from '@loopwatch/testkit';
import kafkajs from 'kafkajs';

/** The outcome of the records of a topic. */
export interface Accounts {
  /** In the topic. */
  readonly records: number;
  /** The worker's own metrics of durable records. */
  readonly events: number;
  readonly duplicates: number;
  readonly faults: number;
  /** Records represented by dead letters, by reason. */
  readonly deadLetters: Readonly<Record<string, number>>;
  /** The worker's count of its dead letters, and the number in the topic. */
  readonly letters: { readonly counted: number; readonly written: number };
  readonly unaccounted: number;
}

/** @param metrics of the one worker, as text */
export async function settleAccounts(
  brokers: readonly string[],
  topics: { readonly events: string; readonly 'dead-letters': string },
  metrics: string,
): Promise<Accounts> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.ERROR });
  // No producer here writes events in transactions, so each offset is a record.
  const records = (await topicEnds(kafka, topics.events)).reduce((sum, { high }) => sum + Number(high), 0);
  const deadLetters: Record<string, number> = {};
  let written = 0;
  const reader = createKafkaTopicReader({ brokers, clientId: 'soak', topic: topics['dead-letters'] });
  await reader.run(({ records: letters }) => {
    for (const { headers } of letters) {
      const text = (name: string) => headers[name] && Buffer.from(headers[name]).toString();
      const reason = text(deadLetterHeaders.code) ?? 'none';
      const first = Number(text(deadLetterHeaders.offset));
      const last = Number(text(deadLetterHeaders.lastOffset) ?? first);
      deadLetters[reason] = (deadLetters[reason] ?? 0) + last - first + 1;
      written += 1;
    }
  });
  await reader.stop();
  const events = sample(metrics, 'loopwatch_events_total');
  const duplicates = sample(metrics, 'loopwatch_duplicate_events_total');
  const faults = sample(metrics, 'loopwatch_detection_faults_total');
  const dead = Object.values(deadLetters).reduce((sum, count) => sum + count, 0);
  const letters = { counted: sample(metrics, 'loopwatch_dead_letters_total'), written };
  const unaccounted = records - events - duplicates - faults - dead;
  return { records, events, duplicates, faults, deadLetters, letters, unaccounted };
}

/** The sum of a metric's samples. */
export function sample(metrics: string, name: string): number {
  const lines = metrics
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
