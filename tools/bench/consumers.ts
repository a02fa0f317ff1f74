import { detectionSchema, type TopicNames } from '@loopwatch/contract';
import { createKafkaTaskRunner, type KafkaTaskRunnerOptions, type TaskRunner } from '@loopwatch/log';
import { Worker } from '@loopwatch/worker';
import kafkajs from 'kafkajs';
import { pino } from 'pino';
import { Registry } from 'prom-client';

const clientId = 'bench';

/** Observes a measured consumer; nothing is processed before `startSignal` resolves. */
export interface ConsumerMonitor {
  readonly startSignal?: Promise<void>;
  /** Called with the number of assigned partitions. */
  onAssigned?(partitions: number): void;
  onStart(): void;
  /** Called when events are done: durable in a worker, parsed in a bare consumer. */
  onProcessed(events: number): void;
}

export interface Consumer {
  stop(): Promise<void>;
}

/** kafkajs alone: `eachBatch` and `JSON.parse`. */
export async function startBare(
  brokers: readonly string[],
  topic: string,
  groupId: string,
  monitor: ConsumerMonitor,
): Promise<Consumer> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], clientId, logLevel: kafkajs.logLevel.NOTHING });
  const consumer = kafka.consumer({
    groupId,
    maxWaitTimeInMs: 100,
    maxBytesPerPartition: 4 * 1024 * 1024,
  });
  let isStarted = monitor.startSignal === undefined;
  consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
    const partitions = payload.memberAssignment[topic] ?? [];
    if (!isStarted) consumer.pause([{ topic }]);
    monitor.onAssigned?.(partitions.length);
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  let text = 0;
  await consumer.run({
    partitionsConsumedConcurrently: 4,
    eachBatch: async ({ batch }) => {
      monitor.onStart();
      for (const { value } of batch.messages) {
        const event = JSON.parse(value?.toString() ?? 'null') as { type: string };
        text += event.type.length;
      }
      monitor.onProcessed(batch.messages.length);
      await Promise.resolve();
    },
  });
  void monitor.startSignal?.then(() => {
    isStarted = true;
    consumer.resume([{ topic }]);
  });
  return {
    stop: async () => {
      await consumer.disconnect();
      if (text === 0 && monitor.startSignal === undefined) throw new Error('nothing was parsed');
    },
  };
}

/** A whole worker. */
export async function startWorker(
  brokers: readonly string[],
  topics: TopicNames,
  preset: 'stream' | 'balanced',
  options: Pick<KafkaTaskRunnerOptions, 'groupId' | 'delivery'>,
  monitor: ConsumerMonitor,
): Promise<Consumer> {
  const inner = createKafkaTaskRunner({
    brokers,
    clientId,
    topics: [topics.events],
    stateTopic: topics.state,
    ...options,
  });
  const worker = new Worker({
    system: 'kafka',
    runner: monitoredRunner(inner, monitor),
    topics,
    detection: detectionSchema.parse({ preset }),
    registry: new Registry(),
    logger: pino({ level: process.env['BENCH_LOG'] ?? 'silent' }),
  });
  await worker.start();
  return { stop: () => worker.stop() };
}

function monitoredRunner(inner: TaskRunner, monitor: ConsumerMonitor): TaskRunner {
  const positions = new Map<number, number>();
  return {
    positions: () => inner.positions(),
    run: (open, observer) =>
      inner.run(
        (topicPartition, lane) => {
          const task = open(topicPartition, {
            fail: (reason) => {
              lane.fail(reason);
            },
            commit: async (step) => {
              await lane.commit(step);
              monitor.onProcessed(step.position - (positions.get(topicPartition.partition) ?? 0));
              positions.set(topicPartition.partition, step.position);
            },
          });
          const process = task.process.bind(task);
          task.process = async (batch) => {
            await monitor.startSignal;
            monitor.onStart();
            await process(batch);
          };
          return task;
        },
        {
          ...observer,
          onAssignment: (partitions, change) => {
            observer?.onAssignment?.(partitions, change);
            monitor.onAssigned?.(partitions.length);
          },
        },
      ),
    stop: () => inner.stop(),
  };
}
