import { setTimeout as delay } from 'node:timers/promises';
import type { TestCluster, TestNode } from '@loopwatch/testkit';
import type { Fleet, FleetWorker } from './fleet.ts';
import type { Random } from './random.ts';

export const faultKinds = [
  'kill worker',
  'freeze worker',
  'add worker',
  'remove worker',
  'kill broker',
  'freeze broker',
  'cut connections',
  'lose answers',
  'isolate broker',
  'kill worker and broker',
  'kill broker beside frozen',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** A fault that was injected. */
export interface Fault {
  readonly kind: FaultKind;
  /** Epoch ms. */
  readonly at: number;
  /** The worker's name, or the node's number. */
  readonly whom: string;
}

export interface FaultInjectorOptions {
  readonly cluster: TestCluster;
  readonly fleet: Fleet;
  readonly random: Random;
  /** Whether every partition has advanced since then, epoch ms. */
  readonly hasAdvancedSince: (since: number) => boolean;
  readonly log: (text: string) => void;
}

/** The members' session timeout is 10 s: one that is frozen for longer has lost its partitions when it resumes. */
const frozenMs = [12_000, 20_000] as const;
const brokerMs = [1_000, 8_000] as const;
const MIN_WORKERS = 2;
const MAX_WORKERS = 4;
const HEAL_MS = 180_000;
const RECOVERY_TIMEOUT_MS = 30_000;

type WorkerFault = Extract<FaultKind, `${string} worker`>;
type BrokerFault = Exclude<FaultKind, WorkerFault>;

/** Kills, freezes, isolates, adds and removes workers and brokers; at most one broker at a time. */
export class FaultInjector {
  readonly faults: Fault[] = [];
  readonly #options: FaultInjectorOptions;
  /** Worker faults in progress. */
  readonly #lasting = new Set<Promise<void>>();

  constructor(options: FaultInjectorOptions) {
    this.#options = options;
  }

  get kills(): number {
    return this.faults.filter(({ kind }) => kind.startsWith('kill')).length;
  }

  /** Injects faults until aborted, then undoes the remaining ones. */
  async run(signal: AbortSignal): Promise<void> {
    const { random } = this.#options;
    await Promise.all([this.#worryWorkers(random.fork(), signal), this.#worryBrokers(random.fork(), signal)]);
    await Promise.all(this.#lasting);
  }

  async #worryWorkers(random: Random, signal: AbortSignal): Promise<void> {
    const kinds: readonly WorkerFault[] = [
      ...(['kill worker', 'kill worker', 'kill worker', 'freeze worker'] as const),
      ...(['add worker', 'remove worker'] as const),
    ];
    while (await pause(random.between(500, 4_000), signal)) {
      const { running } = this.#options.fleet;
      if (running.length < MIN_WORKERS) continue;
      const began = Date.now();
      const worker = random.pick(running);
      this.#worry(random.pick(kinds), worker, random);
      // Sometimes two at a time, and sometimes the next one before work resumes.
      if (random.chance(0.25)) this.#worry('kill worker', random.pick(running), random);
      if (random.chance(0.75)) await this.#recovered(began, signal);
    }
  }

  /** Resolves when work resumes, or after a timeout. */
  async #recovered(since: number, signal: AbortSignal): Promise<void> {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(RECOVERY_TIMEOUT_MS)]);
    while (!patience.aborted && !this.#options.hasAdvancedSince(since)) await pause(100, patience);
  }

  #worry(kind: WorkerFault, worker: FleetWorker, random: Random): void {
    const { fleet } = this.#options;
    if (worker.state !== 'running') return;
    const count = fleet.living.length;
    if (kind === 'kill worker') {
      this.#note(kind, worker.name);
      const pauseMs = random.between(0, 3_000);
      this.#last(
        fleet
          .kill(worker)
          .then(() => delay(pauseMs))
          .then(() => void fleet.start()),
      );
    } else if (kind === 'freeze worker' && count > 1) {
      this.#note(kind, worker.name);
      fleet.pause(worker);
      this.#last(delay(random.between(...frozenMs)).then(() => fleet.resume(worker)));
    } else if (kind === 'add worker' && count < MAX_WORKERS) {
      this.#note(kind, fleet.start().name);
    } else if (kind === 'remove worker' && count > MIN_WORKERS) {
      this.#note(kind, worker.name);
      this.#last(fleet.stop(worker));
    }
  }

  #last(fault: Promise<void>): void {
    const lasting = fault.finally(() => this.#lasting.delete(lasting));
    this.#lasting.add(lasting);
  }

  async #worryBrokers(random: Random, signal: AbortSignal): Promise<void> {
    const kinds: readonly BrokerFault[] = [
      ...(['kill broker', 'kill broker', 'freeze broker'] as const),
      ...(['cut connections', 'lose answers', 'isolate broker'] as const),
      ...(['kill worker and broker', 'kill worker and broker', 'kill broker beside frozen'] as const),
    ];
    // The first fault is a kill, so that a short run has one.
    for (let kind: BrokerFault = 'kill broker'; await pause(random.between(1_000, 5_000), signal); ) {
      const { cluster, fleet } = this.#options;
      const node = random.pick(cluster.nodes);
      this.#note(kind, `node ${node.id}`);
      const { running } = fleet;
      if (kind === 'kill worker and broker' && running.length > 0)
        this.#worry('kill worker', random.pick(running), random);
      const others = cluster.nodes.filter((other) => other !== node);
      await harm(kind, node, random.pick(others), random);
      await cluster.healed(HEAL_MS);
      kind = random.pick(kinds);
    }
  }

  #note(kind: FaultKind, whom: string): void {
    this.faults.push({ kind, whom, at: Date.now() });
    this.#options.log(`${kind}: ${whom}`);
  }
}

/** Injects a fault into one node for a while, or into two, which leaves the cluster without a majority. */
async function harm(kind: BrokerFault, node: TestNode, other: TestNode, random: Random): Promise<void> {
  const { proxy } = node;
  const whileMs = random.between(...brokerMs);
  if (kind === 'kill broker' || kind === 'kill worker and broker') {
    await node.kill();
    await delay(whileMs);
    await started(node);
  } else if (kind === 'kill broker beside frozen') {
    other.pause();
    await delay(whileMs / 2);
    await node.kill();
    await delay(whileMs / 2);
    other.resume();
    await started(node);
  } else if (kind === 'freeze broker') {
    node.pause();
    await delay(whileMs);
    node.resume();
  } else if (kind === 'cut connections') {
    proxy.cut();
  } else if (kind === 'lose answers') {
    proxy.pause('replies');
    await delay(random.between(100, 1_000));
    proxy.cut();
    proxy.resume();
  } else {
    await proxy.close();
    await delay(whileMs);
    await proxy.open();
  }
}

/** A busy machine may need longer than the timeout to start a node. */
async function started(node: TestNode): Promise<void> {
  await node.start().catch(() => node.start());
}

/** @returns whether to continue */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
