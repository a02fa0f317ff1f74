import { detectionSchema, topicNames } from '@loopwatch/contract';
import {
  createKafkaSink,
  createKafkaTaskRunner,
  ensureTopics,
  type OutputRecord,
  type TaskRunner,
  topicSpecs,
} from '@loopwatch/log';
import { startKafka, uniqueName } from '@loopwatch/testkit';
import { Worker } from '@loopwatch/worker';
import kafkajs from 'kafkajs';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { type Figures, median, progress, rounded } from './measure.ts';

const EVENTS = 1_000_000;
const SESSIONS = 1000;
const PARTITIONS = 4;
const ROUNDS = 3;
const clientId = 'bench';

/**
 * The worker, Kafka to Kafka, against a bare kafkajs consumer that only parses: the same topic in one run, in turn,
 * each in a group of its own. 130-byte events, one in ten a tool call, a loop in about 10,000 events.
 */
export async function worker(): Promise<Figures[]> {
  const kafka = await startKafka();
  try {
    const topics = topicNames({ prefix: `${uniqueName('bench')}.` });
    await ensureTopics({ brokers: kafka.brokers, clientId }, topicSpecs(topics, { partitions: PARTITIONS }));
    progress(`writing ${String(EVENTS)} events`);
    const bytes = await fill(kafka.brokers, topics.events);
    const bare: number[] = [];
    const exact: number[] = [];
    const atLeast: number[] = [];
    // The first round warms up broker and compiler.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const rates = [
        await bareRate(kafka.brokers, topics.events),
        await workerRate(kafka.brokers, topics, 'exactly_once'),
        await workerRate(kafka.brokers, topics, 'at_least_once'),
      ] as const;
      const [bareNow, exactNow, atLeastNow] = rates.map((rate) => rate.toFixed(0));
      progress(
        `round ${String(round)}: bare ${bareNow ?? ''}/s, exactly once ${exactNow ?? ''}/s, at least once ${atLeastNow ?? ''}/s`,
      );
      if (round === 0) continue;
      bare.push(rates[0]);
      exact.push(rates[1]);
      atLeast.push(rates[2]);
    }
    const figures = (delivery: string, rates: readonly number[], required: string): Figures => ({
      bench: 'worker-rate',
      events: EVENTS,
      bytesPerEvent: Math.round(bytes / EVENTS),
      bareEventsPerSecond: Math.round(median(bare)),
      workerEventsPerSecond: Math.round(median(rates)),
      delivery,
      ratio: rounded(median(rates.map((rate, i) => rate / (bare[i] ?? Number.NaN)))),
      required,
    });
    return [figures('exactly once', exact, '>= 0.8'), figures('at least once', atLeast, 'nothing')];
  } finally {
    await kafka.stop();
  }
}

/** Distinct calls, but in one of a thousand sessions' every ten thousandth event five in a row are the same. */
function eventText(i: number): string {
  const session = i % SESSIONS;
  const turn = Math.floor(i / SESSIONS);
  const head = `{"v":1,"id":"e-${String(i)}","sessionId":"session-${String(session)}","time":${String(1_763_757_600_000 + i)}`;
  if (turn % 10 !== 9) return `${head},"type":"content","text":"${words(i)}"}`;
  const looping = session % 10 === 0 && Math.floor(turn / 100) % 2 === 0;
  const path = looping ? 'same' : `file-${String(i)}`;
  return `${head},"type":"tool_call_request","name":"read_file","args":{"path":"${path}"}}`;
}

const vocabulary =
  'the worker reads each record once and keeps what it needs to know about a session for later'.split(' ');

function words(i: number): string {
  return [i % 17, i % 13, i % 11, i % 7].map((n) => vocabulary[n]).join(' ');
}

async function fill(brokers: readonly string[], topic: string): Promise<number> {
  const sink = createKafkaSink({ brokers, clientId });
  await sink.open();
  let bytes = 0;
  for (let i = 0; i < EVENTS; ) {
    const records: OutputRecord[] = [];
    for (; records.length < 5000 && i < EVENTS; i += 1) {
      const value = eventText(i);
      bytes += value.length;
      records.push({ topic, key: `session-${String(i % SESSIONS)}`, value });
    }
    await sink.publish(records);
  }
  await sink.close();
  return bytes;
}

async function bareRate(brokers: readonly string[], topic: string): Promise<number> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], clientId, logLevel: kafkajs.logLevel.NOTHING });
  const consumer = kafka.consumer({
    groupId: uniqueName('bare'),
    maxWaitTimeInMs: 100,
    maxBytesPerPartition: 4 * 1024 * 1024,
  });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const clock = new Clock();
  let text = 0;
  await consumer.run({
    partitionsConsumedConcurrently: PARTITIONS,
    eachBatch: async ({ batch }) => {
      clock.start();
      for (const { value } of batch.messages) {
        const event = JSON.parse(value?.toString() ?? 'null') as { type: string };
        text += event.type.length;
      }
      clock.count(batch.messages.length);
      await Promise.resolve();
    },
  });
  const rate = await clock.rate;
  await consumer.disconnect();
  if (text === 0) throw new Error('nothing was parsed');
  return rate;
}

async function workerRate(
  brokers: readonly string[],
  topics: ReturnType<typeof topicNames>,
  delivery: 'exactly_once' | 'at_least_once',
): Promise<number> {
  const clock = new Clock();
  const inner = createKafkaTaskRunner({
    brokers,
    clientId,
    topics: [topics.events],
    stateTopic: topics.state,
    groupId: uniqueName('worker'),
    delivery,
  });
  const runner: TaskRunner = {
    run: (open, observer) =>
      inner.run((place, lane) => {
        const task = open(place, {
          commit: async (step) => {
            await lane.commit(step);
            clock.reach(place.partition, step.position);
          },
        });
        const process = task.process.bind(task);
        task.process = async (batch) => {
          clock.start();
          await process(batch);
        };
        return task;
      }, observer),
    stop: () => inner.stop(),
  };
  const running = new Worker({
    runner,
    topics,
    detection: detectionSchema.parse({ preset: 'stream' }),
    registry: new Registry(),
    logger: pino({ level: process.env.BENCH_LOG ?? 'silent' }),
  });
  await running.start();
  const rate = await clock.rate;
  await running.stop();
  return rate;
}

/** Events a second from the first batch to the last event. */
class Clock {
  readonly rate: Promise<number>;
  private done: (rate: number) => void = () => undefined;
  private began = 0;
  private events = 0;

  constructor() {
    this.rate = new Promise((resolve) => {
      this.done = resolve;
    });
  }

  start(): void {
    if (this.began === 0) this.began = performance.now();
  }

  /** How far each partition is committed. */
  private readonly positions = new Map<number, number>();

  /** All before this offset of a partition is durable. */
  reach(partition: number, position: number): void {
    const before = this.positions.get(partition) ?? 0;
    this.positions.set(partition, position);
    this.count(position - before);
  }

  count(events: number): void {
    this.events += events;
    if (this.events >= EVENTS) this.done((this.events * 1000) / (performance.now() - this.began));
  }
}
