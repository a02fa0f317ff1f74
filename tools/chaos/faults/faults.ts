import { setTimeout as delay } from 'node:timers/promises';
import type { TestCluster, TestNode } from '@loopwatch/testkit';
import { timeouts } from '../../../packages/log/src/kafka/client/timeouts.ts';
import type { Fleet, FleetWorker } from '../fleet.ts';
import type { Random } from '../random.ts';
import { type Bound, bounds } from './bounds.ts';
import { damageLogs } from './damage.ts';
import type { WorkerLinks } from './worker-links.ts';

/** What faults are injected into. */
export interface Lab {
  readonly cluster: TestCluster;
  readonly fleet: Fleet;
  readonly links: WorkerLinks;
}

export interface FaultKind<T> {
  /** How often it is chosen, relative to others of its table. */
  readonly weight: number;
  readonly bound: Bound;
  /** Injects it and undoes it again. */
  readonly inject: (target: T, lab: Lab, random: Random) => Promise<unknown>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const brokerMs = [1_000, 8_000] as const;

/** Faults of one worker that go on while others occur. */
export const workerFaults = {
  'kill worker': {
    weight: 4,
    bound: bounds.missed,
    inject: (worker, lab, random) => replace(worker, lab, random, {}),
  },
  'kill worker, wrong clock after it': {
    weight: 1,
    bound: bounds.missed,
    inject: (worker, lab, random) => replace(worker, lab, random, { clockMs: anyTime(random) }),
  },
  'stop worker': {
    weight: 1,
    bound: bounds.moved,
    inject: async (worker, { fleet }, random) => {
      await fleet.stop(worker);
      await delay(random.between(0, 3_000));
      fleet.start(worker);
    },
  },
  'freeze worker': {
    weight: 2,
    bound: bounds.missed,
    inject: (worker, { fleet }, random) =>
      freeze(worker, fleet, random.between(500, timeouts.session - 2_000)),
  },
  'zombie worker': {
    weight: 2,
    bound: bounds.missed,
    inject: (worker, { fleet }, random) =>
      freeze(worker, fleet, timeouts.session + random.between(2_000, 8_000)),
  },
  'zombie worker with a successor': {
    weight: 1,
    bound: bounds.missed,
    inject: async (worker, { fleet }, random) => {
      fleet.pause(worker);
      const successor = fleet.start(worker);
      await delay(timeouts.session + random.between(0, 5_000));
      fleet.resume(worker);
      await delay(random.between(1_000, 5_000));
      // The group is not to grow: either of the two ends.
      await fleet.kill(random.chance(0.5) ? worker : successor);
    },
  },
  'set clock': {
    weight: 3,
    bound: bounds.retried,
    inject: (worker, { fleet }, random) => {
      fleet.setClock(worker, anyTime(random));
      return Promise.resolve();
    },
  },
  'full disk of worker': {
    weight: 1,
    bound: bounds.retried,
    inject: async (worker, { fleet }, random) => {
      fleet.setDisk(worker, true);
      await delay(random.between(1_000, 20_000));
      fleet.setDisk(worker, false);
    },
  },
  'cut worker off': {
    weight: 2,
    bound: bounds.missed,
    inject: (worker, { links }, random) => hold(worker, links, ['requests', 'replies'], random),
  },
  'delay requests of worker': {
    weight: 1,
    bound: bounds.missed,
    inject: (worker, { links }, random) => hold(worker, links, ['requests'], random),
  },
  'delay answers to worker': {
    weight: 1,
    bound: bounds.missed,
    inject: (worker, { links }, random) => hold(worker, links, ['replies'], random),
  },
} as const satisfies Readonly<Record<string, FaultKind<FleetWorker>>>;

/** Faults of a broker's connections: the cluster does not notice. */
export const connectionFaults = {
  'cut connections': {
    weight: 1,
    bound: bounds.retried,
    inject: ({ proxy }) => {
      proxy.cut();
      return Promise.resolve();
    },
  },
  'lose answers': {
    weight: 1,
    bound: bounds.returned,
    inject: async ({ proxy }, _lab, random) => {
      proxy.pause('replies');
      await delay(random.between(100, 1_000));
      proxy.cut();
      proxy.resume();
    },
  },
} as const satisfies Readonly<Record<string, FaultKind<TestNode>>>;

/** Faults of a broker, one at a time: the cluster heals before the next. */
export const brokerFaults = {
  'kill broker': {
    weight: 2,
    bound: bounds.brokerMissed,
    inject: (node, _lab, random) => takeDown(node, () => node.kill(), random),
  },
  'stop broker': {
    weight: 1,
    bound: bounds.brokerMissed,
    inject: (node, _lab, random) => takeDown(node, () => node.stop(), random),
  },
  'freeze broker': {
    weight: 2,
    bound: bounds.brokerMissed,
    inject: async (node, _lab, random) => {
      node.pause();
      await delay(random.between(...brokerMs));
      node.resume();
    },
  },
  'isolate broker': {
    weight: 2,
    bound: bounds.returned,
    inject: async ({ proxy }, _lab, random) => {
      await proxy.close();
      await delay(random.between(...brokerMs));
      await proxy.open();
    },
  },
  'kill worker and broker': {
    weight: 1,
    bound: bounds.bothMissed,
    inject: async (node, lab, random) => {
      const worker = lab.fleet.running.at(0);
      await Promise.all([
        takeDown(node, () => node.kill(), random),
        worker && replace(worker, lab, random, {}),
      ]);
    },
  },
  'kill broker beside frozen': {
    weight: 1,
    bound: bounds.majorityMissed,
    inject: async (node, { cluster }, random) => {
      const other = random.pick(cluster.nodes.filter((each) => each !== node));
      const whileMs = random.between(...brokerMs);
      other.pause();
      await delay(whileMs / 2);
      await node.kill();
      await delay(whileMs / 2);
      other.resume();
      await started(node);
    },
  },
  'full disk of broker': {
    weight: 1,
    bound: bounds.brokerMissed,
    inject: (node, _lab, random) => takeDown(node, () => node.fillDisk(), random),
  },
  'damaged files of broker': {
    weight: 2,
    bound: bounds.brokerMissed,
    inject: async (node, _lab, random) => {
      await node.kill();
      // Until it is not in sync any more; the others have what it loses.
      await delay(random.between(5_000, 8_000));
      await damageLogs(node.data, random);
      await started(node);
    },
  },
} as const satisfies Readonly<Record<string, FaultKind<TestNode>>>;

export const faultKinds = { ...workerFaults, ...connectionFaults, ...brokerFaults };
export type FaultName = keyof typeof faultKinds;

/** Up to a day off, in both directions, or right. */
function anyTime(random: Random): number {
  return random.chance(1 / 5) ? 0 : random.between(-DAY_MS, DAY_MS);
}

async function replace(
  worker: FleetWorker,
  { fleet }: Lab,
  random: Random,
  options: { readonly clockMs?: number },
): Promise<void> {
  const { instanceId } = worker;
  await fleet.kill(worker);
  await delay(random.between(0, 3_000));
  fleet.start({ instanceId, ...options });
}

/** Shorter or longer than the session timeout. */
async function hold(
  { name }: FleetWorker,
  links: WorkerLinks,
  directions: readonly ('requests' | 'replies')[],
  random: Random,
): Promise<void> {
  const release = links.hold(name, directions);
  await delay(random.between(1_000, timeouts.session * 2));
  release();
}

async function freeze(worker: FleetWorker, fleet: Fleet, ms: number): Promise<void> {
  fleet.pause(worker);
  await delay(ms);
  fleet.resume(worker);
}

/** Ends a broker, and starts it again after a while. */
async function takeDown(node: TestNode, end: () => Promise<void>, random: Random): Promise<void> {
  await end();
  await delay(random.between(...brokerMs));
  await started(node);
}

/** A busy machine may need longer than the timeout to start a node. */
async function started(node: TestNode): Promise<void> {
  await node.start().catch(() => node.start());
}
