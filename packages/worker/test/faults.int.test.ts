import { detectionSchema, topicNames } from '@loopwatch/contract';
import {
  createKafkaSink,
  createKafkaTaskRunner,
  createKafkaTopicReader,
  ensureTopics,
  type LogRecord,
  type OutputRecord,
  topicSpecs,
} from '@loopwatch/log';
import { uniqueName, waitFor } from '@loopwatch/testkit';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { Worker } from '../src/index.ts';
import {
  change,
  decodingRunner,
  installFault,
  letterInWords,
  loops,
  POISON_OFFSET,
  stages,
  verdictInWords,
} from './faults.ts';

const kafka = () => ({ brokers: inject('kafkaBrokers'), clientId: 'worker-test' });

async function follow(topic: string): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  const reader = createKafkaTopicReader({ ...kafka(), topic });
  onTestFinished(() => reader.stop());
  await reader.run(
    (batch) => {
      records.push(...batch.records);
    },
    { resolveWhen: 'started' },
  );
  return records;
}

async function publish(records: readonly OutputRecord[]): Promise<void> {
  const sink = createKafkaSink(kafka());
  await sink.open();
  await sink.publish(records);
  await sink.close();
}

describe('a fault on Kafka', () => {
  it.each(stages.filter(([stage]) => stage === 'its analysis'))(
    'that stays in %s makes its record a dead letter, and no other',
    async (_, install) => {
      const topics = topicNames({ prefix: `${uniqueName('faults')}.` });
      await ensureTopics(kafka(), topicSpecs(topics, { partitions: 1 }));
      installFault(install, Infinity);
      await publish(loops(topics.events));
      const runner = decodingRunner(
        createKafkaTaskRunner({
          ...kafka(),
          topics: [topics.events],
          stateTopic: topics.state,
          groupId: topics.events,
          delivery: 'exactly_once',
        }),
      );
      const worker = new Worker({
        runner,
        system: 'kafka',
        topics,
        detection: detectionSchema.parse({ preset: 'stream', tool_call_loop: { max_repeats: 3 } }),
        registry: new Registry(),
        logger: pino({ level: 'silent' }),
      });
      onTestFinished(() => worker.stop());
      await worker.start();
      const verdicts = await follow(topics.verdicts);
      const letters = await follow(topics['dead-letters']);
      await waitFor(() => verdicts.length === 2 && letters.length === 1);
      await publish([change(topics.events)]);
      await waitFor(() => verdicts.length === 3);
      expect(verdicts.map(verdictInWords)).toEqual(['a opened', 'b opened', 'a resolved']);
      expect(letters.map(letterInWords)).toEqual([
        `processing_failed ${String(POISON_OFFSET)} not thought of`,
      ]);
      expect((await runner.positions())[0]?.position).toBeGreaterThan(POISON_OFFSET);
    },
  );
});
