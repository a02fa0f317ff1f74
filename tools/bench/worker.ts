import { type TopicNames, topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { startKafka, uniqueName } from '@loopwatch/testkit';
import { type Consumer, type ConsumerMonitor, startBare, startWorker } from './consumers.ts';
import { type Figures, median, progress, rounded } from './measure.ts';
import { fill } from './traffic.ts';

const EVENTS = 1_000_000;
const PARTITIONS = 4;
const ROUNDS = 3;

/** Events per second, and events per second of CPU time, which other load on the machine affects less. */
interface Rate {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

/**
 * The worker, Kafka to Kafka, compared with a bare kafkajs consumer that only parses: the same topic in one run,
 * alternating, each in its own group.
 */
export async function worker(): Promise<Figures[]> {
  const kafka = await startKafka();
  const { brokers } = kafka;
  try {
    const topics = topicNames({ prefix: `${uniqueName('bench')}.` });
    const specs = topicSpecs(topics, { partitions: PARTITIONS });
    await ensureTopics({ brokers, clientId: 'bench' }, specs);
    progress(`writing ${String(EVENTS)} events`);
    const bytes = await fill(brokers, topics.events, EVENTS);
    const rounds: Record<'bare' | 'exact' | 'atLeast', Rate>[] = [];
    // The first round warms up broker and compiler.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const rates = {
        bare: await rateOf((monitor) => startBare(brokers, topics.events, uniqueName('bare'), monitor)),
        exact: await rateOf((monitor) => one(brokers, topics, 'exactly_once', monitor)),
        atLeast: await rateOf((monitor) => one(brokers, topics, 'at_least_once', monitor)),
      };
      const texts = Object.entries(rates).map(([side, { perSecond }]) => `${side} ${perSecond.toFixed(0)}/s`);
      progress(`round ${String(round)}: ${texts.join(', ')}`);
      if (round > 0) rounds.push(rates);
    }
    const figures = (delivery: string, side: 'exact' | 'atLeast', required: string): Figures => {
      const ratio = (by: keyof Rate) =>
        rounded(median(rounds.map((round) => round[side][by] / round.bare[by])));
      return {
        bench: 'worker-rate',
        events: EVENTS,
        bytesPerEvent: Math.round(bytes / EVENTS),
        bareEventsPerSecond: Math.round(median(rounds.map(({ bare }) => bare.perSecond))),
        workerEventsPerSecond: Math.round(median(rounds.map((round) => round[side].perSecond))),
        delivery,
        ratio: ratio('perSecond'),
        ratioByCpuTime: ratio('perCpuSecond'),
        required,
      };
    };
    return [figures('exactly once', 'exact', '>= 0.8'), figures('at least once', 'atLeast', 'nothing')];
  } finally {
    await kafka.stop();
  }
}

function one(
  brokers: readonly string[],
  topics: TopicNames,
  delivery: 'exactly_once' | 'at_least_once',
  monitor: ConsumerMonitor,
): Promise<Consumer> {
  return startWorker(brokers, topics, { groupId: uniqueName('worker'), delivery }, monitor);
}

/** From the first batch to the last event. */
async function rateOf(start: (monitor: ConsumerMonitor) => Promise<Consumer>): Promise<Rate> {
  let began: { at: number; cpu: NodeJS.CpuUsage } | undefined;
  let events = 0;
  let finish: (rate: Rate) => void = () => undefined;
  const rate = new Promise<Rate>((resolve) => {
    finish = resolve;
  });
  const consumer = await start({
    onStart: () => {
      began ??= { at: performance.now(), cpu: process.cpuUsage() };
    },
    onProcessed: (more) => {
      events += more;
      if (events < EVENTS || began === undefined) return;
      const cpu = process.cpuUsage(began.cpu);
      finish({
        perSecond: (events * 1_000) / (performance.now() - began.at),
        perCpuSecond: (events * 1_000_000) / (cpu.user + cpu.system),
      });
    },
  });
  const measured = await rate;
  await consumer.stop();
  return measured;
}
