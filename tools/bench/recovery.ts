import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { startKafka, tempDir, uniqueName, waitFor } from '@loopwatch/testkit';
import { CommitWatch } from '../chaos/commits.ts';
import { Fleet } from '../chaos/fleet.ts';
import { Production } from '../chaos/production.ts';
import { Random } from '../chaos/random.ts';
import { takeovers } from '../chaos/recovery.ts';
import { Traffic } from '../chaos/traffic.ts';
import { type Figures, median, progress, rounded } from './measure.ts';

const KILLS = 6;
const PARTITIONS = 4;
const RATE = 1_000;
const SESSION_TIMEOUT_MS = 10_000;
const ALLOWED_MS = SESSION_TIMEOUT_MS + 2_000;

/**
 * Two workers under steady production; one of them is repeatedly killed with SIGKILL. Measures the time from the kill until
 * the new owner of the last of its partitions commits for the first time.
 */
export async function recovery(): Promise<Figures[]> {
  await using kafka = await startKafka();
  await using folder = await tempDir('loopwatch-recovery');
  const { brokers } = kafka;
  const group = uniqueName('recovery');
  const prefix = `${group}.`;
  const topics = topicNames({ prefix });
  await ensureTopics({ brokers, clientId: 'bench' }, topicSpecs(topics, { partitions: PARTITIONS }));
  const configFile = join(folder.path, 'loopwatch.json');
  const settings = {
    kafka: { brokers, group, topics: { prefix } },
    worker: { host: '127.0.0.1', port: 0 },
    log: { level: 'info', format: 'json' },
  };
  await writeFile(configFile, JSON.stringify(settings));
  await using fleet = new Fleet(configFile);
  await using commits = new CommitWatch(brokers, group, topics.events);
  const traffic = new Traffic({
    startsAt: Date.now(),
    stepMs: 1,
    idleMs: 3_600_000,
    random: new Random(5),
  });
  await using production = new Production(brokers, topics.events, traffic, RATE);
  fleet.start();
  fleet.start();
  await waitFor(() => fleet.running.length === 2, { describe: 'two workers' });
  await commits.start();
  await production.start();
  const all = { timeoutMs: 60_000, describe: 'commits of every partition' };
  await waitFor(() => commits.committed.size === PARTITIONS, all);
  const waits: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const since = Date.now();
    await waitFor(() => commits.hasAdvancedSince(since), all);
    const [victim] = fleet.running;
    if (victim === undefined) throw new Error('no worker runs');
    const killedAt = Date.now();
    await fleet.kill(victim);
    // Every partition: what its owner committed before it was killed may be seen a moment later.
    await waitFor(() => commits.hasAdvancedSince(killedAt + 500), all);
    waits.push(Date.now() - killedAt);
    progress(`kill ${String(kill + 1)}: all partitions work again after ${String(waits.at(-1))} ms`);
    fleet.start();
    await waitFor(() => fleet.running.length === 2, { describe: 'two workers again' });
  }
  const { durations, recordsReplayed } = takeovers(fleet.lines());
  await production.stop();
  const longest = Math.max(...waits);
  return [
    {
      bench: 'recovery after kill -9',
      kills: KILLS,
      eventsPerSecond: RATE,
      sessionTimeoutMs: SESSION_TIMEOUT_MS,
      p50Ms: Math.round(median(waits)),
      maxMs: longest,
      takeoverP50Ms: durations.p50,
      takeoverMaxMs: durations.max,
      recordsReplayed,
      ratio: rounded(longest / ALLOWED_MS),
      required: '<= 1 (session timeout + 2 s)',
    },
  ];
}
