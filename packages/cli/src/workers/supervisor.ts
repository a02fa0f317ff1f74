import type { Readiness } from '@loopwatch/server';
import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import { UsageError } from '../errors.ts';
import type { Running } from '../runtime/lifecycle.ts';
import { afterEnding, afterReady, noEndings, type RestartState } from './restart-policy.ts';
import { summedMetrics, withEnded } from './summed-metrics.ts';
import { type Snapshot, snapshotSchema } from './worker-messages.ts';
import type { ProcessEnd, WorkerProcess } from './worker-process.ts';

export interface SupervisorDeps {
  readonly workers: number;
  readonly fork: (worker: number) => WorkerProcess;
  /** Of the supervisor's own process. */
  readonly registry: Registry;
  readonly logger: Logger;
  /** Milliseconds on a clock that never goes back. */
  readonly now?: () => number;
}

/** One of the workers: the process it has now, if any, and what is known of it. */
interface Slot {
  readonly worker: number;
  process: WorkerProcess | undefined;
  readyAt: number | undefined;
  restart: NodeJS.Timeout | undefined;
  /** Why there is no process, for the health check. */
  absence: string;
  /** Looks in a row that were not answered. */
  missed: number;
  /** The latest metrics it gave. */
  metrics: Snapshot;
}

const answerMs = 2_000;
const lookEveryMs = 10_000;
/** A minute without an answer: nothing will come of this process any more. */
const missedAtMost = 6;

/** Keeps a number of worker processes running, and speaks for all of them. */
export class Supervisor implements Running {
  readonly #deps: SupervisorDeps;
  readonly #now: () => number;
  readonly #restarts: Counter;
  readonly #slots: readonly Slot[];
  #policy: RestartState;
  #stopping = false;
  /** What processes counted that have ended. */
  #ended: Promise<Snapshot> = Promise.resolve([]);
  #looks: NodeJS.Timeout | undefined;
  #giveUp: (reason: UsageError) => void = () => undefined;
  #firstReady: () => void = () => undefined;
  /** Resolves when a worker is connected for the first time. */
  readonly ready = new Promise<void>((resolve) => {
    this.#firstReady = resolve;
  });
  /** Rejects with a UsageError when no worker can do anything with the configuration; never resolves. */
  readonly failed = new Promise<never>((_resolve, reject) => {
    this.#giveUp = reject;
  });
  /** Whether every process ended as it should when it was stopped. */
  clean = true;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
    this.#now = deps.now ?? (() => performance.now());
    this.#policy = noEndings(deps.workers);
    this.#restarts = new Counter({
      name: 'loopwatch_worker_restarts_total',
      help: 'Worker processes that ended by themselves and were replaced.',
      registers: [deps.registry],
    });
    this.#slots = Array.from({ length: deps.workers }, (_, index) => ({
      worker: index + 1,
      process: undefined,
      readyAt: undefined,
      restart: undefined,
      absence: 'not started',
      missed: 0,
      metrics: [],
    }));
  }

  start(): void {
    for (const slot of this.#slots) this.#launch(slot);
    this.#looks = setInterval(() => void this.#look(), lookEveryMs);
  }

  /** Asks every worker to finish what it has begun, and waits for all. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#looks);
    const running: WorkerProcess[] = [];
    for (const slot of this.#slots) {
      clearTimeout(slot.restart);
      slot.absence = 'stopped';
      if (slot.process !== undefined) running.push(slot.process);
    }
    // Whoever ends this process before they are done, at the end of the grace period or by a second signal, ends them.
    const kill = (): void => {
      for (const child of running) child.kill('SIGKILL');
    };
    process.once('exit', kill);
    for (const child of running) child.kill('SIGTERM');
    await Promise.all(running.map(({ ended }) => ended));
    process.off('exit', kill);
  }

  /** One check for each worker. */
  async readiness(): Promise<Readiness> {
    const checks = this.#slots.map(async (slot) => {
      const name = `worker ${String(slot.worker)}`;
      const { process: child, readyAt, absence } = slot;
      if (child === undefined) return [name, { ok: false, detail: absence }] as const;
      const status = await child.ask('status', answerMs);
      const silence = readyAt === undefined ? 'starting' : 'does not answer';
      const { connected: ok, detail } = status ?? { connected: false, detail: silence };
      return [name, { ok, detail }] as const;
    });
    return Object.fromEntries(await Promise.all(checks));
  }

  get contentType(): string {
    return this.#deps.registry.contentType;
  }

  /** The metrics of all workers as those of one, in Prometheus' text format. */
  async metrics(): Promise<string> {
    await Promise.all(
      this.#slots.map(async (slot) => {
        const metrics = await slot.process?.ask('metrics', answerMs);
        // One that does not answer in time is shown as it was, so that no sum falls.
        if (metrics !== undefined) slot.metrics = metrics;
      }),
    );
    // Read together: a process that ends just now is in one of both, whole.
    const running = this.#slots.map(({ metrics }) => metrics);
    const ended = await this.#ended;
    const own = snapshotSchema.parse(await this.#deps.registry.getMetricsAsJSON());
    return summedMetrics([own, ended, ...running]).metrics();
  }

  #launch(slot: Slot): void {
    const { worker } = slot;
    const child = this.#deps.fork(worker);
    slot.process = child;
    slot.readyAt = undefined;
    slot.missed = 0;
    this.#deps.logger.info(
      { worker, pid: child.pid },
      `Worker ${String(worker)} is process ${String(child.pid)}`,
    );
    void child.ready.then(() => {
      slot.readyAt = this.#now();
      this.#policy = afterReady(this.#policy);
      this.#firstReady();
    });
    void child.ended.then((end) => this.#onEnd(slot, end, child.pid));
  }

  #onEnd(slot: Slot, { code, signal }: ProcessEnd, pid: number | undefined): void {
    const { worker, readyAt, metrics } = slot;
    const { logger } = this.#deps;
    slot.process = undefined;
    slot.metrics = [];
    this.#ended = this.#ended.then((ended) => withEnded(ended, metrics));
    const how = signal ?? (code === null ? 'no process' : `exit status ${String(code)}`);
    if (this.#stopping) {
      // One that was still loading is ended by the signal itself.
      if (code === 0 || signal === 'SIGTERM' || signal === 'SIGINT') return;
      this.clean = false;
      logger.error(
        { worker, pid, code, signal },
        `Worker ${String(worker)} did not shut down cleanly: ${how}`,
      );
      return;
    }
    const wellMs = readyAt === undefined ? 0 : this.#now() - readyAt;
    const [policy, decision] = afterEnding(this.#policy, { worker, code, wellMs });
    this.#policy = policy;
    if (decision.kind === 'give_up') {
      this.#giveUp(new UsageError('No worker can start with this configuration; each has said why above.'));
      return;
    }
    const soon = `another one starts in ${(decision.afterMs / 1000).toFixed(1)} s`;
    slot.absence = `ended (${how}); ${soon}`;
    logger.error({ worker, pid, code, signal }, `Worker ${String(worker)} ended (${how}); ${soon}`);
    slot.restart = setTimeout(() => {
      this.#restarts.inc();
      this.#launch(slot);
    }, decision.afterMs);
  }

  /** Ends a process that hangs, so that it is replaced: the port's health is the supervisor's and would never tell. */
  async #look(): Promise<void> {
    await Promise.all(
      this.#slots.map(async (slot) => {
        const { process: child, readyAt, worker } = slot;
        if (child === undefined || readyAt === undefined) return;
        const status = await child.ask('status', lookEveryMs);
        if (slot.process !== child || this.#stopping) return;
        slot.missed = status === undefined ? slot.missed + 1 : 0;
        if (slot.missed < missedAtMost) return;
        const seconds = (missedAtMost * lookEveryMs) / 1000;
        this.#deps.logger.error(
          { worker, pid: child.pid },
          `Worker ${String(worker)} has not answered for ${String(seconds)} s and is ended`,
        );
        child.kill('SIGKILL');
      }),
    );
  }
}
