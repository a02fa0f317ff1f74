import { detectionSchema, topicNames } from '@loopwatch/contract';
import {
  createKafkaSink,
  createKafkaTaskRunner,
  createKafkaTopicReader,
  ensureTopics,
  type RecordSink,
  topicSpecs,
} from '@loopwatch/log';
import { startKafka, uniqueName } from '@loopwatch/testkit';
import { Worker } from '@loopwatch/worker';
import kafkajs from 'kafkajs';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type Figures, progress, quantile, rounded } from './measure.ts';

const SAMPLES = 1000;
/** Broker and compilers need hundreds of transactions to warm up. */
const WARM_UP = 500;
const clientId = 'bench';
type Names = ReturnType<typeof topicNames>;

/**
 * From producing an event until its committed verdict is read, compared with a bare kafkajs consumer that forwards each record
 * without a transaction, acks=all: one at a time, alternating, in one run. Both use the same reader.
 */
export async function latency(): Promise<Figures[]> {
  const kafka = await startKafka();
  const brokers = kafka.brokers;
  const closers: (() => Promise<void>)[] = [];
  try {
    const names = topicNames({ prefix: `${uniqueName('latency')}.` });
    const echoed = topicNames({ prefix: `${uniqueName('echo')}.` });
    for (const topics of [names, echoed]) {
      await ensureTopics({ brokers, clientId }, topicSpecs(topics, { partitions: 1, replicationFactor: 1 }));
    }
    const sink = createKafkaSink({ brokers, clientId });
    await sink.open();
    closers.push(() => sink.close());
    closers.push(await startWorker(brokers, names), await startEcho(brokers, echoed, sink));
    const verdicts = await Arrivals.at(brokers, names.verdicts, closers);
    const echoes = await Arrivals.at(brokers, echoed.verdicts, closers);
    const ofWorker: number[] = [];
    const ofEcho: number[] = [];
    for (let i = 0; i < SAMPLES + WARM_UP; i += 1) {
      const toVerdict = await verdicts.after(() => loop(sink, names.events, `s-${String(i)}`));
      const toEcho = await echoes.after(() => loop(sink, echoed.events, `s-${String(i)}`));
      if (i < WARM_UP) continue;
      ofWorker.push(toVerdict);
      ofEcho.push(toEcho);
      if (i % 200 === 0) progress(`latency: ${String(i)} of ${String(SAMPLES)}`);
    }
    return [0.5, 0.99].map((share) => ({
      bench: `worker-latency-p${String(share * 100)}`,
      samples: SAMPLES,
      verdictMs: rounded(quantile(ofWorker, share)),
      echoMs: rounded(quantile(ofEcho, share)),
      delivery: 'exactly once',
      ratio: rounded(quantile(ofWorker, share) / quantile(ofEcho, share)),
      required: share === 0.99 ? '<= 3' : 'nothing',
    }));
  } finally {
    for (const close of closers.reverse()) await close();
    await kafka.stop();
  }
}

/** Two calls, the second of which completes a loop. */
async function loop(sink: RecordSink, topic: string, sessionId: string): Promise<void> {
  const value = JSON.stringify({ sessionId, type: 'tool_call_request', name: 'ls', args: {} });
  await sink.publish([
    { topic, key: sessionId, value },
    { topic, key: sessionId, value },
  ]);
}

async function startWorker(brokers: readonly string[], topics: Names): Promise<() => Promise<void>> {
  const worker = new Worker({
    system: 'kafka',
    runner: createKafkaTaskRunner({
      brokers,
      clientId,
      topics: [topics.events],
      stateTopic: topics.state,
      groupId: uniqueName('worker'),
      delivery: 'exactly_once',
    }),
    topics,
    detection: detectionSchema.parse({ preset: 'stream', tool_call_loop: { max_repeats: 2 } }),
    registry: new Registry(),
    logger: pino({ level: 'silent' }),
  });
  await worker.start();
  return () => worker.stop();
}

async function startEcho(
  brokers: readonly string[],
  { events, verdicts }: Names,
  sink: RecordSink,
): Promise<() => Promise<void>> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], clientId, logLevel: kafkajs.logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: uniqueName('echo'), maxWaitTimeInMs: 500 });
  await consumer.connect();
  await consumer.subscribe({ topic: events, fromBeginning: true });
  await consumer.run({
    eachBatch: async ({ batch }) => {
      const last = batch.messages.at(-1);
      if (last !== undefined) await sink.publish([{ topic: verdicts, key: last.key, value: last.value }]);
    },
  });
  return () => consumer.disconnect();
}

/** Reports when a record arrives on a topic. */
class Arrivals {
  #arrived: () => void = () => undefined;

  static async at(
    brokers: readonly string[],
    topic: string,
    closers: (() => Promise<void>)[],
  ): Promise<Arrivals> {
    const arrivals = new Arrivals();
    const reader = createKafkaTopicReader({ brokers, clientId, topic });
    closers.push(() => reader.stop());
    await reader.run(({ records }) => {
      if (records.length > 0) arrivals.#arrived();
    });
    return arrivals;
  }

  /** Milliseconds from the call to the next arrival. */
  async after(produce: () => Promise<void>): Promise<number> {
    const arrival = new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    const began = performance.now();
    await produce();
    await arrival;
    return performance.now() - began;
  }
}
