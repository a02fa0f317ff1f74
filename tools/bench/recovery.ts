import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { topicNames } from '@loopwatch/contract';
import { ensureTopics, topicSpecs } from '@loopwatch/log';
import { startKafka, tempDir, uniqueName, waitFor } from '@loopwatch/testkit';
import { CommitWatch } from '../chaos/commits.ts';
import { Fleet, type FleetWorker } from '../chaos/fleet.ts';
import { Production } from '../chaos/production.ts';
import { Random } from '../chaos/random.ts';
import { takeovers } from '../chaos/recovery.ts';
import { Traffic } from '../chaos/traffic.ts';
import { type Figures, progress, rounded } from './measure.ts';

const PARTITIONS = 4;
const RATE = 500;
const SESSION_TIMEOUT_MS = 10_000;
/** A stall is observed until all partitions work again, and at least this long after the last kill. */
const AFTER_MS = 5_000;

/** Two workers under steady production, called `a` and `b`. */
interface Lab {
  readonly fleet: Fleet;
  readonly commits: CommitWatch;
  /** Starts a worker in the place of this one. */
  replace(name: 'a' | 'b'): FleetWorker;
  readonly workers: Record<'a' | 'b', FleetWorker>;
  kill(name: 'a' | 'b'): Promise<void>;
}

interface Scenario {
  readonly title: string;
  readonly run: (lab: Lab) => Promise<void>;
}

const scenarios: readonly Scenario[] = [
  {
    title: 'one worker killed and restarted at once',
    run: async (lab) => {
      await lab.kill('a');
      lab.replace('a');
    },
  },
  {
    title: 'ten kills of both workers in turn, 2 s apart, each restarted at once',
    run: async (lab) => {
      for (let kill = 0; kill < 10; kill += 1) {
        const name = kill % 2 === 0 ? 'a' : 'b';
        await lab.kill(name);
        lab.replace(name);
        await delay(2_000);
      }
    },
  },
  {
    title: 'one of two workers killed 2.5 s after each start, for 60 s',
    run: async (lab) => {
      const until = Date.now() + 60_000;
      while (Date.now() < until) {
        await lab.kill('b');
        lab.replace('b');
        await delay(2_500);
      }
    },
  },
];

/** The longest time without a commit, by partition, from `since` on. */
function longestStalls({ advances, committed }: CommitWatch, since: number): Map<number, number> {
  const stalls = new Map<number, number>();
  for (const partition of committed.keys()) {
    const times = advances.filter((one) => one.partition === partition).map(({ at }) => at);
    const before = times.findLast((at) => at <= since) ?? since;
    let [longest, last] = [0, before];
    for (const at of times.filter((time) => time > since)) {
      longest = Math.max(longest, at - last);
      last = at;
    }
    stalls.set(partition, longest);
  }
  return stalls;
}

/** Share of the seconds in which a partition had a commit within 3 s before, over all partitions. */
function availability({ advances, committed }: CommitWatch, since: number, until: number): number {
  let [good, all] = [0, 0];
  for (const partition of committed.keys()) {
    const times = advances.filter((one) => one.partition === partition).map(({ at }) => at);
    for (let probe = since; probe < until; probe += 1_000) {
      all += 1;
      if (times.some((at) => at > probe - 3_000 && at <= probe)) good += 1;
    }
  }
  return good / all;
}

async function measure({ title, run }: Scenario, isNamed: boolean): Promise<Figures> {
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
  await using fleet = new Fleet(configFile, folder.path);
  await using commits = new CommitWatch(brokers, group, topics.events);
  const traffic = new Traffic({ startsAt: Date.now(), stepMs: 1, idleMs: 3_600_000, random: new Random(5) });
  await using production = new Production(brokers, topics.events, traffic, RATE);
  const start = (name: string) => fleet.start(isNamed ? { instanceId: name } : {});
  const workers = { a: start('a'), b: start('b') };
  const lab: Lab = {
    fleet,
    commits,
    workers,
    replace: (name) => (workers[name] = start(name)),
    kill: (name) => fleet.kill(workers[name]),
  };
  await waitFor(() => fleet.running.length === 2, { describe: 'two workers' });
  await commits.start();
  await production.start();
  const all = { timeoutMs: 120_000, describe: 'commits of every partition' };
  await waitFor(() => commits.committed.size === PARTITIONS, all);
  // Both have their share.
  await delay(8_000);
  const began = Date.now();
  await run(lab);
  const ended = Date.now();
  await waitFor(() => commits.hasAdvancedSince(ended + AFTER_MS), all);
  const stalls = [...longestStalls(commits, began).values()].sort((x, y) => y - x);
  const { durations, recordsReplayed } = takeovers(fleet.lines());
  await production.stop();
  const figures = {
    bench: `recovery: ${title}`,
    names: isNamed ? 'stable' : 'none',
    eventsPerSecond: RATE,
    sessionTimeoutMs: SESSION_TIMEOUT_MS,
    longestStallMs: stalls[0] ?? 0,
    shortestStallMs: stalls.at(-1) ?? 0,
    available: rounded(availability(commits, began, ended + AFTER_MS)),
    takeoverMaxMs: durations.max,
    recordsReplayed,
    ratio: null,
    required: '',
  };
  progress(JSON.stringify(figures));
  return figures;
}

/** How long a partition stands while workers are killed with SIGKILL and restarted, with and without stable names. */
export async function recovery(): Promise<Figures[]> {
  const figures: Figures[] = [];
  for (const isNamed of [false, true])
    for (const scenario of scenarios) figures.push(await measure(scenario, isNamed));
  return figures;
}
