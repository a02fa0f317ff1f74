import { detectionSchema, type TopicNames } from '@loopwatch/contract';
import { createKafkaTaskRunner, type KafkaTaskRunnerOptions, type TaskRunner } from '@loopwatch/log';
import { Worker } from '@loopwatch/worker';
import kafkajs from 'kafkajs';
import { pino } from 'pino';
import { Registry } from 'prom-client';

const clientId = 'bench';

/** What the benches observe of a consumer; nothing is processed before `go`. */
export interface Watched {
  readonly go?: Promise<void>;
  /** The partitions that it owns. */
  assigned?(partitions: number): void;
  began(): void;
  /** Reports the number of finished events: durable for a worker, parsed for a bare consumer. */
  did(events: number): void;
}

export interface Consumer {
  stop(): Promise<void>;
}

/** The maximum that kafkajs itself can read: `eachBatch` and `JSON.parse`. */
export async function startBare(
  brokers: readonly string[],
  topic: string,
  groupId: string,
  watched: Watched,
): Promise<Consumer> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], clientId, logLevel: kafkajs.logLevel.NOTHING });
  const consumer = kafka.consumer({
    groupId,
    maxWaitTimeInMs: 100,
    maxBytesPerPartition: 4 * 1024 * 1024,
  });
  let gone = watched.go === undefined;
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    const partitions = payload.memberAssignment[topic] ?? [];
    if (!gone) consumer.pause([{ topic }]);
    watched.assigned?.(partitions.length);
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  let text = 0;
  await consumer.run({
    partitionsConsumedConcurrently: 4,
    eachBatch: async ({ batch }) => {
      watched.began();
      for (const { value } of batch.messages) {
        const event = JSON.parse(value?.toString() ?? 'null') as { type: string };
        text += event.type.length;
      }
      watched.did(batch.messages.length);
      await Promise.resolve();
    },
  });
  void watched.go?.then(() => {
    gone = true;
    consumer.resume([{ topic }]);
  });
  return {
    stop: async () => {
      await consumer.disconnect();
      if (text === 0 && watched.go === undefined) throw new Error('nothing was parsed');
    },
  };
}

/** A whole worker, preset `stream`. */
export async function startWorker(
  brokers: readonly string[],
  topics: TopicNames,
  options: Pick<KafkaTaskRunnerOptions, 'groupId' | 'delivery'>,
  watched: Watched,
): Promise<Consumer> {
  const inner = createKafkaTaskRunner({
    brokers,
    clientId,
    topics: [topics.events],
    stateTopic: topics.state,
    ...options,
  });
  const worker = new Worker({
    runner: watchedRunner(inner, watched),
    topics,
    detection: detectionSchema.parse({ preset: 'stream' }),
    registry: new Registry(),
    logger: pino({ level: process.env['BENCH_LOG'] ?? 'silent' }),
  });
  await worker.start();
  return { stop: () => worker.stop() };
}

function watchedRunner(inner: TaskRunner, watched: Watched): TaskRunner {
  const positions = new Map<number, number>();
  return {
    positions: () => inner.positions(),
    run: (open, observer) =>
      inner.run(
        (place, lane) => {
          const task = open(place, {
            commit: async (step) => {
              await lane.commit(step);
              watched.did(step.position - (positions.get(place.partition) ?? 0));
              positions.set(place.partition, step.position);
            },
          });
          const process = task.process.bind(task);
          task.process = async (batch) => {
            await watched.go;
            watched.began();
            await process(batch);
          };
          return task;
        },
        {
          ...observer,
          onAssignment: (partitions, change) => {
            observer?.onAssignment?.(partitions, change);
            watched.assigned?.(partitions.length);
          },
        },
      ),
    stop: () => inner.stop(),
  };
}
