import { type TopicNames, topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { startKafka, uniqueName } from '@loopwatch/testkit';
import { startBare, startWorker } from './consumers.ts';
import { type Figures, progress } from './measure.ts';
import { alternatingRates, comparedWithBare, type StartConsumer } from './rates.ts';
import { recordedAgents, recordedTraffic } from './recorded-traffic.ts';
import { fill, madeUpTraffic } from './traffic.ts';

const EVENTS = 1_000_000;
const RECORDED_EVENTS = 500_000;
/** Fewer for real traffic, which takes longer. */
const ROUNDS = 3;
const REAL_ROUNDS = 2;
const PARTITIONS = 4;
const CUT_UNITS = 16;
const clientId = 'bench';

/**
 * The worker, Kafka to Kafka, compared with a bare kafkajs consumer that only parses: the same topic in one run,
 * alternating, each in its own group. This part: short made-up events, preset `stream`.
 */
export async function worker(): Promise<Figures[]> {
  const kafka = await startKafka();
  const { brokers } = kafka;
  try {
    const topics = await createTopics(brokers);
    progress(`writing ${String(EVENTS)} events`);
    const { bytes } = await fill(brokers, madeUpTraffic(topics.events, EVENTS));
    const rounds = await alternatingRates(EVENTS, ROUNDS, {
      bare: bareConsumer(brokers, topics),
      exact: workerOf(brokers, topics, 'stream', 'exactly_once'),
      atLeast: workerOf(brokers, topics, 'stream', 'at_least_once'),
    });
    const shared = { bench: 'worker-rate', events: EVENTS, bytesPerEvent: Math.round(bytes / EVENTS) };
    return [
      { ...shared, delivery: 'exactly once', ...comparedWithBare(rounds, 'exact'), required: '>= 0.8' },
      { ...shared, delivery: 'at least once', ...comparedWithBare(rounds, 'atLeast'), required: 'nothing' },
    ];
  } finally {
    await kafka.stop();
  }
}

/** The same for recorded events of real agents, preset `balanced`, exactly once. */
export async function workerReal(): Promise<Figures[]> {
  const bench = 'worker-rate, real traffic';
  const agents = recordedAgents();
  if (agents.length === 0) return [{ bench, ratio: null, required: 'not measured: no recordings' }];
  const kafka = await startKafka();
  const { brokers } = kafka;
  try {
    const figures: Figures[] = [];
    const variants = [
      { what: 'as recorded', units: undefined, required: '>= 0.5' },
      { what: `text cut into ${String(CUT_UNITS)} units`, units: CUT_UNITS, required: '>= 0.6' },
    ];
    for (const { what, units, required } of variants) {
      const topics = await createTopics(brokers);
      progress(`writing recorded events, ${what}`);
      const traffic = recordedTraffic(agents, topics.events, RECORDED_EVENTS, units);
      const { events, bytes } = await fill(brokers, traffic);
      const rounds = await alternatingRates(events, REAL_ROUNDS, {
        bare: bareConsumer(brokers, topics),
        exact: workerOf(brokers, topics, 'balanced', 'exactly_once'),
      });
      figures.push({
        bench: `${bench}, ${what}`,
        events,
        bytesPerEvent: Math.round(bytes / events),
        preset: 'balanced',
        delivery: 'exactly once',
        ...comparedWithBare(rounds, 'exact'),
        required,
      });
    }
    return figures;
  } finally {
    await kafka.stop();
  }
}

async function createTopics(brokers: readonly string[]): Promise<TopicNames> {
  const topics = topicNames({ prefix: `${uniqueName('bench')}.` });
  await ensureTopics({ brokers, clientId }, topicSpecs(topics, { partitions: PARTITIONS }));
  return topics;
}

function bareConsumer(brokers: readonly string[], topics: TopicNames): StartConsumer {
  return (monitor) => startBare(brokers, topics.events, uniqueName('bare'), monitor);
}

function workerOf(
  brokers: readonly string[],
  topics: TopicNames,
  preset: 'stream' | 'balanced',
  delivery: 'exactly_once' | 'at_least_once',
): StartConsumer {
  return (monitor) =>
    startWorker(brokers, topics, preset, { groupId: uniqueName('worker'), delivery }, monitor);
}
