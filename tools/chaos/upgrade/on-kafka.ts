import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { readTopic, readWithJava, startKafkaCluster, tempDir, waitFor } from '@loopwatch/testkit';
import { CommitWatch } from '../commits.ts';
import { foundResults } from '../expected.ts';
import { Fleet, type FleetWorker } from '../fleet.ts';
import { Production } from '../production.ts';
import { Random } from '../random.ts';
import { Traffic } from '../traffic.ts';
import { judge } from './judge.ts';
import type { Upgrade, UpgradeReport } from './report.ts';
import { expectedBy, type Version } from './version.ts';

const group = 'upgrade';
const PARTITIONS = 6;
const WORKERS = 3;
const HASTE = 20;
const IDLE_SECONDS = 200;
const WAIT_MS = 300_000;

/** Workers of one version are replaced by those of the other, one by one and under load: up, down, and up again. */
export async function upgradeOnKafka(options: Upgrade): Promise<UpgradeReport> {
  const { earlier, present, seed, rate, delivery, names, pauseMs, replayReach, log, logs } = options;
  const began = Date.now();
  const random = new Random(seed);
  log('starting Kafka');
  await using cluster = await startKafkaCluster({ nodes: 1 });
  await using folder = await tempDir('loopwatch-upgrade');
  const settings = {
    kafka: {
      brokers: cluster.brokers,
      delivery,
      group,
      partitions: PARTITIONS,
      topics: { prefix: 'upgrade.' },
    },
    worker: { host: '127.0.0.1', port: 0, replay_reach: replayReach },
    log: { level: 'info', format: 'json' },
    tool_call_loop: { max_repeats: 3 },
    session: { idle_seconds: IDLE_SECONDS },
  };
  const topics = topicNames(settings.kafka.topics);
  const specs = topicSpecs(topics, { partitions: PARTITIONS, replicationFactor: 1 });
  await ensureTopics({ brokers: cluster.direct, clientId: group }, specs);
  const configFile = join(folder.path, 'loopwatch.json');
  await writeFile(configFile, JSON.stringify(settings));

  await using fleet = new Fleet(configFile, folder.path, logs);
  await using commits = new CommitWatch(cluster.direct, group, topics.events);
  const traffic = new Traffic({
    startsAt: began - 48 * 3_600_000,
    stepMs: Math.round((HASTE * 1_000) / rate),
    idleMs: IDLE_SECONDS * 1_000,
    random: random.fork(),
  });
  await using production = new Production(cluster.brokers, topics.events, traffic, rate);
  const steps: string[] = [];
  const step = (text: string) => {
    log(text);
    steps.push(text);
  };
  const works = async (workers: readonly FleetWorker[]) => {
    await waitFor(() => workers.every(({ state }) => state !== 'starting'), { timeoutMs: WAIT_MS });
    const since = Date.now();
    await waitFor(() => commits.committed.size === PARTITIONS && commits.hasAdvancedSince(since), {
      timeoutMs: WAIT_MS,
      describe: 'work on every partition',
    });
    await delay(pauseMs);
  };
  const start = ({ command }: Version, number: number) =>
    fleet.start({ command, ...(names && { instanceId: `named-${number}` }) });

  const workers = Array.from({ length: WORKERS }, (_, number) => start(earlier, number));
  await commits.start();
  await production.start();
  await works(workers);
  for (const version of [present, earlier, present])
    for (const [number, worker] of workers.entries()) {
      const isKilled = number === 1;
      step(`worker ${number + 1}: ${isKilled ? 'killed' : 'stopped'}, then ${version.name}`);
      await (isKilled ? fleet.kill(worker) : fleet.stop(worker));
      const next = start(version, number);
      workers[number] = next;
      await works([next]);
    }
  await production.stop();
  const ends = await commits.ends();
  await waitFor(() => [...ends].every(([partition, end]) => (commits.committed.get(partition) ?? 0) >= end), {
    timeoutMs: WAIT_MS,
    describe: 'the group to catch up',
  });
  await Promise.all(fleet.living.map((worker) => fleet.stop(worker)));

  log('comparing what came of it with a replay by both versions');
  const events = await readTopic(cluster.direct, topics.events, { timeoutMs: WAIT_MS });
  const [verdicts, deadLetters] = await Promise.all([
    readWithJava(cluster.direct, topics.verdicts),
    readWithJava(cluster.direct, topics['dead-letters']),
  ]);
  const found = foundResults(verdicts, deadLetters);
  const replays = {
    earlier: await expectedBy(earlier, topics.events, events, settings),
    present: await expectedBy(present, topics.events, events, settings),
  };
  const judgement = judge(replays.earlier, replays.present, found);
  await writeFile(join(logs, 'upgrade.json'), JSON.stringify({ judgement, ...replays, found, events }));
  return {
    where: `Kafka, ${delivery.replaceAll('_', ' ')}, ${names ? 'stable names' : 'no names'}`,
    steps,
    written: production.written,
    stored: events.length,
    judgement,
    troubles: fleet.faults,
  };
}
