import { setTimeout as delay } from 'node:timers/promises';
import {
  brokerFaults,
  connectionFaults,
  type FaultKind,
  type FaultName,
  type Lab,
  workerFaults,
} from './faults/faults.ts';
import type { FleetWorker } from './fleet.ts';
import type { Random } from './random.ts';

/** A fault that was injected. */
export interface Fault {
  readonly kind: FaultName;
  /** Epoch ms. */
  readonly at: number;
  /** When it was undone; none yet, while it lasts. */
  until?: number;
  /** The worker's name, or the node's number. */
  readonly whom: string;
}

export interface FaultInjectorOptions extends Lab {
  readonly random: Random;
  /** Whether every partition has advanced since then, epoch ms. */
  readonly hasAdvancedSince: (since: number) => boolean;
  readonly log: (text: string) => void;
}

/** This many workers are left alone. */
const HEALTHY_WORKERS = 1;
const HEAL_MS = 180_000;
const RECOVERY_TIMEOUT_MS = 15_000;

/** Injects the faults of three tables side by side; at most one broker at a time fails. */
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
    await Promise.all([
      this.#worryWorkers(random.fork(), signal),
      this.#worryConnections(random.fork(), signal),
      this.#worryBrokers(random.fork(), signal),
    ]);
    await Promise.all(this.#lasting);
  }

  async #worryWorkers(random: Random, signal: AbortSignal): Promise<void> {
    const { fleet } = this.#options;
    const busy = new Set<FleetWorker>();
    while (await pause(random.between(200, 1_200), signal)) {
      const free = fleet.running.filter((worker) => !busy.has(worker));
      if (free.length <= HEALTHY_WORKERS) continue;
      const began = Date.now();
      const worker = random.pick(free);
      busy.add(worker);
      const [kind, fault] = weighted(workerFaults, random);
      const lasting = this.#inject(kind, fault, worker, worker.name, random.fork())
        .catch(
          (error: unknown) => void fleet.faults.push(`${kind} of ${worker.name} failed: ${String(error)}`),
        )
        .finally(() => {
          busy.delete(worker);
          this.#lasting.delete(lasting);
        });
      this.#lasting.add(lasting);
      // Sometimes the next one comes before work resumes.
      if (random.chance(0.2)) await this.#recovered(began, signal);
    }
  }

  async #worryConnections(random: Random, signal: AbortSignal): Promise<void> {
    while (await pause(random.between(2_000, 6_000), signal)) {
      const [kind, fault] = weighted(connectionFaults, random);
      const node = random.pick(this.#options.cluster.nodes);
      await this.#inject(kind, fault, node, `node ${node.id}`, random);
    }
  }

  async #worryBrokers(random: Random, signal: AbortSignal): Promise<void> {
    const { cluster } = this.#options;
    // The first fault is a kill, so that a short run has one.
    let next: [FaultName, FaultKind<(typeof cluster.nodes)[number]>] = [
      'kill broker',
      brokerFaults['kill broker'],
    ];
    while (await pause(random.between(1_000, 4_000), signal)) {
      const node = random.pick(cluster.nodes);
      await this.#inject(...next, node, `node ${node.id}`, random);
      await cluster.healed(HEAL_MS);
      next = weighted(brokerFaults, random);
    }
  }

  /** Resolves when work resumes, or after a timeout. */
  async #recovered(since: number, signal: AbortSignal): Promise<void> {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(RECOVERY_TIMEOUT_MS)]);
    while (!patience.aborted && !this.#options.hasAdvancedSince(since)) await pause(100, patience);
  }

  async #inject<T>(
    kind: FaultName,
    { inject }: FaultKind<T>,
    target: T,
    whom: string,
    random: Random,
  ): Promise<void> {
    const fault: Fault = { kind, whom, at: Date.now() };
    this.faults.push(fault);
    this.#options.log(`${this.faults.length} ${kind}: ${whom}`);
    await inject(target, this.#options, random);
    fault.until = Date.now();
  }
}

function weighted<T>(
  table: Readonly<Record<string, FaultKind<T>>>,
  random: Random,
): [FaultName, FaultKind<T>] {
  const kinds = Object.entries(table).flatMap(([name, kind]) =>
    Array.from({ length: kind.weight }, () => [name as FaultName, kind] as [FaultName, FaultKind<T>]),
  );
  return random.pick(kinds);
}

/** @returns whether to continue */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
