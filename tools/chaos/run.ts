import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { detectionSettings, type Settings, settingsSchema, topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import {
  readTopic,
  readWithJava,
  startKafkaCluster,
  type TestCluster,
  tempDir,
  waitFor,
} from '@loopwatch/testkit';
import { CommitWatch } from './commits.ts';
import { compare, type Differences, isAllowed, isExact } from './compare.ts';
import { expectedResults, foundResults } from './expected.ts';
import { FaultInjector } from './fault-injector.ts';
import { type FaultName, faultKinds } from './faults/faults.ts';
import { WorkerLinks } from './faults/worker-links.ts';
import { Fleet } from './fleet.ts';
import { openTransactions } from './open-transactions.ts';
import { Production } from './production.ts';
import { Random } from './random.ts';
import { type Takeovers, takeovers } from './recovery.ts';
import { type StallReport, stallReports } from './stalls.ts';
import { Traffic } from './traffic.ts';

export interface ChaosOptions {
  /** Duration of the faults; extended until the numbers of faults and kills are reached. */
  readonly minutes: number;
  /** Minimum number of faults. */
  readonly faults: number;
  /** Minimum number of kills. */
  readonly kills: number;
  readonly delivery: Settings['kafka']['delivery'];
  /** Which workers have stable names in the group (`kafka.instance_id`): `some` is every second one. */
  readonly names: 'all' | 'some' | 'none';
  readonly seed: number;
  /** Events a second. */
  readonly rate: number;
  /** `min.insync.replicas` of `__transaction_state` and `__consumer_offsets`. */
  readonly internalMinIsr: 1 | 2;
  readonly log: (text: string) => void;
  /** Folder of the workers' logs. */
  readonly logs?: string;
}

export interface ChaosReport {
  readonly seconds: number;
  readonly events: { readonly written: number; readonly inTopic: number };
  readonly verdicts: { readonly expected: number; readonly found: number };
  readonly deadLetters: { readonly expected: number; readonly found: number };
  readonly delivery: Settings['kafka']['delivery'];
  readonly differences: Differences;
  /** Whether the delivery allows the differences. */
  readonly isAllowed: boolean;
  readonly faults: Readonly<Partial<Record<FaultName, number>>>;
  readonly kills: number;
  /** The longest start of a worker in this run: what the machine may take in addition to a bound, ms. */
  readonly allowanceMs: number;
  readonly stalls: Readonly<Record<string, StallReport>>;
  readonly takeovers: Takeovers;
  /** Steps that ended without a confirmation of all their writes. */
  readonly unconfirmed: number;
  readonly kept: { readonly snapshots: number; readonly tombstones: number };
  /** Unexpected failures. */
  readonly troubles: readonly string[];
}

const group = 'chaos';
const PARTITIONS = 6;
const WORKERS = 5;
/** Event time runs this much faster than the clock, so that sessions become idle and are freed. */
const HASTE = 20;
const IDLE_SECONDS = 200;
const REPLAY_REACH = 500;
/** Records after a pause, so that each worker frees the sessions that have ended: it waits for some 1,000 events. */
const FREEING_RECORDS = 10_000;
const READY_MS = 180_000;
const CATCH_UP_MS = 300_000;
/** A coordinator aborts transactions that are open for longer. */
const TRANSACTION_MS = 90_000;
const READ_MS = 300_000;

/**
 * Runs a real cluster, real workers and steady production while processes are killed and frozen and connections cut. Then
 * compares the results with those of a single process without failures on the same events.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, rate, internalMinIsr, delivery, names, log, logs } = options;
  const began = Date.now();
  const random = new Random(seed);
  log('starting three Kafka nodes');
  const links = new WorkerLinks();
  await using cluster = await startKafkaCluster({
    valve: links.valve,
    properties: {
      'transaction.state.log.min.isr': String(internalMinIsr),
      // For `__consumer_offsets`; Loopwatch's topics have their own setting.
      'min.insync.replicas': String(internalMinIsr),
    },
  });
  await using folder = await tempDir('loopwatch-chaos');
  const settings = settingsOf(cluster, delivery);
  const topics = topicNames(settings.kafka.topics);
  await ensureTopics(
    { brokers: cluster.direct, clientId: group },
    topicSpecs(topics, { partitions: PARTITIONS }),
  );
  const configFile = join(folder.path, 'loopwatch.json');
  await writeFile(configFile, JSON.stringify(inputOf(cluster, delivery)));

  await using fleet = new Fleet(configFile, folder.path, logs);
  await using commits = new CommitWatch(cluster.direct, group, topics.events);
  const stepMs = Math.round((HASTE * 1_000) / rate);
  const startsAt = began - 48 * 3_600_000;
  const traffic = new Traffic({ startsAt, stepMs, idleMs: IDLE_SECONDS * 1_000, random: random.fork() });
  await using production = new Production(cluster.brokers, topics.events, traffic, rate);
  log(`starting ${WORKERS} workers`);
  for (let i = 0; i < WORKERS; i += 1) {
    const isNamed = names === 'all' || (names === 'some' && i % 2 === 0);
    fleet.start(isNamed ? { instanceId: `named-${i}` } : {});
  }
  const ready = { timeoutMs: READY_MS, describe: `${WORKERS} workers, and work on every partition` };
  await waitFor(() => fleet.running.length === WORKERS, ready);
  await commits.start();
  await production.start();
  await waitFor(() => commits.committed.size === PARTITIONS, ready);

  const hasAdvancedSince = (since: number) => commits.hasAdvancedSince(since);
  const injector = new FaultInjector({ cluster, fleet, links, hasAdvancedSince, random: random.fork(), log });
  await injectFaults(injector, options);
  log(`all is well again; production stops, with ${String(production.unwritten)} records on their way`);
  traffic.pause(3 * IDLE_SECONDS * 1_000);
  production.burst(FREEING_RECORDS);
  await production.stop();
  log('production has stopped');
  const ends = await commits.ends();
  log(`the workers catch up: ${positions(commits.committed)} of ${positions(ends)}`);
  await waitFor(() => [...ends].every(([partition, end]) => (commits.committed.get(partition) ?? 0) >= end), {
    timeoutMs: CATCH_UP_MS,
    describe: () => `the group to catch up: ${positions(commits.committed)} of ${positions(ends)}`,
  });
  await Promise.all(fleet.living.map((worker) => fleet.stop(worker)));

  log('reading what came of it');
  const read = (topic: string) => readTopic(cluster.direct, topic, { timeoutMs: READ_MS });
  const events = await read(topics.events);
  // Read by an independent client, which waits some seconds for more before it ends.
  const readIndependently = (topic: string) => readWithJava(cluster.direct, topic);
  const [verdicts, deadLetters, state] = await Promise.all([
    readIndependently(topics.verdicts),
    readIndependently(topics['dead-letters']),
    readIndependently(topics.state),
  ]);
  const found = foundResults(verdicts, deadLetters);
  const open = await openTransactions(
    cluster.direct,
    [topics.verdicts, topics['dead-letters'], topics.state],
    TRANSACTION_MS,
  );
  log('comparing it with a replay of the events');
  const expected = await expectedResults(topics.events, events, detectionSettings(settings));
  const differences = compare(expected, found);
  if (logs !== undefined && !isExact(differences)) {
    await mkdir(logs, { recursive: true });
    await writeFile(join(logs, 'differences.json'), JSON.stringify({ differences, expected, found, events }));
  }
  const lines = fleet.lines();
  const allowanceMs = Math.max(...fleet.startTimes);
  return {
    seconds: Math.round((Date.now() - began) / 1_000),
    events: { written: production.written, inTopic: events.length },
    verdicts: { expected: expected.verdicts.length, found: found.verdicts.length },
    deadLetters: { expected: expected.deadLetters.length, found: found.deadLetters.length },
    differences,
    delivery,
    isAllowed: isAllowed(differences, delivery),
    faults: byKind((name) => injector.faults.filter(({ kind }) => kind === name).length),
    kills: injector.kills,
    allowanceMs,
    stalls: stallReports(injector.faults, commits.advances, lines, allowanceMs),
    takeovers: takeovers(lines),
    unconfirmed: lines.filter(({ fields: { error } }) => isUnconfirmed(error)).length,
    kept: {
      snapshots: state.filter(({ value }) => value !== null).length,
      tombstones: state.filter(({ value }) => value === null).length,
    },
    troubles: [...fleet.faults, ...open],
  };
}

function isUnconfirmed(error: unknown): boolean {
  return typeof error === 'string' && /were not written:|did not confirm/.test(error);
}

function inputOf(cluster: TestCluster, delivery: Settings['kafka']['delivery']) {
  return {
    kafka: {
      brokers: cluster.brokers,
      delivery,
      group,
      partitions: PARTITIONS,
      topics: { prefix: 'chaos.' },
    },
    worker: { host: '127.0.0.1', port: 0, replay_reach: REPLAY_REACH },
    log: { level: 'info', format: 'json' },
    tool_call_loop: { max_repeats: 3 },
    session: { idle_seconds: IDLE_SECONDS },
  };
}

function settingsOf(cluster: TestCluster, delivery: Settings['kafka']['delivery']): Settings {
  return settingsSchema.parse(inputOf(cluster, delivery));
}

async function injectFaults(
  injector: FaultInjector,
  { minutes, faults, kills }: ChaosOptions,
): Promise<void> {
  const ending = new AbortController();
  const running = injector.run(ending.signal);
  const ended = running.then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([ended, delay(minutes * 60_000)]);
  const isShort = () => injector.kills < kills || injector.faults.length < faults;
  while (!ending.signal.aborted && isShort()) await Promise.race([ended, delay(100)]);
  ending.abort();
  await running;
}

function byKind<T>(of: (kind: FaultName) => T): Record<FaultName, T> {
  const names = Object.keys(faultKinds) as FaultName[];
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<FaultName, T>;
}

function positions(map: ReadonlyMap<number, number>): string {
  return [...map].map(([partition, offset]) => `${partition}: ${offset}`).join(', ');
}
