import type { EventEmitter } from 'node:events';
import { backoff } from '@loopwatch/platform';
import type { Readiness } from '@loopwatch/server';
import type { Logger } from 'pino';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import { z } from 'zod';
import { UsageError } from '../errors.ts';
import { DEBUG_SIGNAL } from '../runtime/debug-signal.ts';
import type { Running } from '../runtime/lifecycle.ts';

/** What a worker process reports to the primary process: whether it is connected to Kafka, or why not. */
const workerReportSchema = z.object({
  kind: z.literal('worker-report'),
  ok: z.boolean(),
  detail: z.string(),
});
export type WorkerReport = z.infer<typeof workerReportSchema>;

/** Milliseconds between the reports of a worker. */
export const REPORT_EVERY_MS = 1_000;

/** The part of a worker process of `node:cluster` that is used here. */
export interface WorkerProcess extends EventEmitter {
  readonly process: { readonly pid?: number | undefined; kill(signal: NodeJS.Signals): boolean };
}

export interface WorkerClusterOptions {
  readonly workers: number;
  /** Starts worker `number`, counted from 1. */
  readonly fork: (number: number) => WorkerProcess;
  readonly logger: Logger;
}

/** A worker and its current process. */
interface Slot {
  readonly number: number;
  process: WorkerProcess | undefined;
  connected: boolean;
  detail: string;
  connectedAt: number | undefined;
  reportedAt: number;
  restart: NodeJS.Timeout | undefined;
  /** Exits in a row without a stable run in between. */
  failures: number;
  exitCode: number | null | undefined;
}

const FIRST_RESTART_MS = 500;
const MAX_RESTART_MS = 30_000;
/** A worker that was connected for this long was healthy: its next restart is quick again. */
const STABLE_AFTER_MS = 60_000;
/** Readiness fails after this long without a report. */
const SILENT_AFTER_MS = 5_000;
/** A connected worker that has not reported for this long hangs and is killed. */
const HUNG_AFTER_MS = 60_000;
/** A process that has not stopped by then is killed, just before this process would exit anyway. */
const KILL_AFTER_MS = 29_000;
/** The exit status of every command for flags, settings and files that cannot be used. */
const USAGE_EXIT_CODE = 2;

/** Keeps worker processes running and serves the health and metrics of all of them. */
export class WorkerCluster implements Running {
  readonly #options: WorkerClusterOptions;
  readonly #slots: readonly Slot[];
  /** Metrics of this process; those of the workers are only in {@link metrics}. */
  readonly registry = new Registry();
  readonly #aggregator = new AggregatorRegistry();
  readonly #restarts: Counter;
  #isStopping = false;
  #onFirstConnected: () => void = () => undefined;
  #giveUp: (reason: UsageError) => void = () => undefined;
  #everConnected = false;
  #check: NodeJS.Timeout | undefined;
  /** Resolves when a worker is connected for the first time. */
  readonly firstConnected = new Promise<void>((resolve) => {
    this.#onFirstConnected = resolve;
  });
  /** Rejects with a UsageError when no worker can start with this configuration; never resolves. */
  readonly failed = new Promise<never>((_resolve, reject) => {
    this.#giveUp = reject;
  });
  /** Whether every process has exited with status 0 after {@link stop}. */
  stoppedCleanly = true;

  constructor(options: WorkerClusterOptions) {
    this.#options = options;
    this.#slots = Array.from({ length: options.workers }, (_, index) => ({
      number: index + 1,
      process: undefined,
      connected: false,
      detail: 'starting',
      connectedAt: undefined,
      reportedAt: 0,
      restart: undefined,
      failures: 0,
      exitCode: undefined,
    }));
    this.#restarts = new Counter({
      name: 'loopwatch_worker_restarts_total',
      help: 'Worker processes that exited unexpectedly and were restarted.',
      registers: [this.registry],
    });
  }

  start(): void {
    for (const slot of this.#slots) this.#fork(slot);
    this.#check = setInterval(() => this.#killHungWorkers(), REPORT_EVERY_MS);
  }

  /** Passes SIGTERM on and waits for every process to exit; kills those that hang. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#check);
    const exits = this.#slots.flatMap(({ process: child, restart }) => {
      clearTimeout(restart);
      if (child === undefined) return [];
      child.process.kill('SIGTERM');
      const timer = setTimeout(() => child.process.kill('SIGKILL'), KILL_AFTER_MS);
      return [new Promise((resolve) => child.once('exit', resolve)).finally(() => clearTimeout(timer))];
    });
    await Promise.all(exits);
  }

  /** A worker that is not connected may still be loading; the signal would end it. */
  passDebugSignal(): void {
    for (const { process: child, connected } of this.#slots) {
      if (connected) child?.process.kill(DEBUG_SIGNAL);
    }
  }

  readiness(): Promise<Readiness> {
    const now = performance.now();
    const checks = this.#slots.map(({ number, process: child, connected, detail, reportedAt }) => {
      const silent = child !== undefined && connected && now - reportedAt > SILENT_AFTER_MS;
      const check = silent ? { ok: false, detail: 'not responding' } : { ok: connected, detail };
      return [`worker ${String(number)}`, check] as const;
    });
    return Promise.resolve(Object.fromEntries(checks));
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** The metrics of every worker, distinguished by the label `worker`, in Prometheus' text format. */
  async metrics(): Promise<string> {
    return `${await this.#aggregator.clusterMetrics()}\n${await this.registry.metrics()}`;
  }

  #fork(slot: Slot): void {
    const child = this.#options.fork(slot.number);
    slot.process = child;
    slot.connected = false;
    slot.connectedAt = undefined;
    slot.detail = 'starting';
    const pid = child.process.pid;
    this.#options.logger.info(
      { worker: slot.number, pid },
      `Started worker ${String(slot.number)} (pid ${String(pid)})`,
    );
    child.on('message', (message) => this.#onMessage(slot, message));
    child.once('exit', (code: number | null, signal: NodeJS.Signals | null) => {
      this.#onExit(slot, code, signal, pid);
    });
  }

  #onMessage(slot: Slot, message: unknown): void {
    // Answers to prom-client's own requests for metrics arrive here too.
    const report = workerReportSchema.safeParse(message);
    if (!report.success) return;
    const now = performance.now();
    slot.connected = report.data.ok;
    slot.detail = report.data.detail;
    slot.reportedAt = now;
    if (!report.data.ok || slot.connectedAt !== undefined) return;
    slot.connectedAt = now;
    this.#everConnected = true;
    this.#onFirstConnected();
  }

  #onExit(slot: Slot, code: number | null, signal: NodeJS.Signals | null, pid: number | undefined): void {
    const worker = slot.number;
    const { logger } = this.#options;
    const status = signal ?? `exit status ${String(code)}`;
    const wasStable =
      slot.connectedAt !== undefined && performance.now() - slot.connectedAt >= STABLE_AFTER_MS;
    slot.process = undefined;
    slot.connected = false;
    slot.exitCode = code;
    if (this.#isStopping) {
      slot.detail = 'stopped';
      // The signal itself ends a worker that is still loading.
      if (code === 0 || signal === 'SIGTERM' || signal === 'SIGINT') return;
      this.stoppedCleanly = false;
      logger.error(
        { worker, pid, code, signal },
        `Worker ${String(worker)} did not shut down cleanly: ${status}`,
      );
      return;
    }
    if (!this.#everConnected && this.#slots.every(({ exitCode }) => exitCode === USAGE_EXIT_CODE)) {
      this.#giveUp(new UsageError('No worker can start with this configuration; see the errors above.'));
      return;
    }
    const delayMs = backoff(wasStable ? 0 : slot.failures, FIRST_RESTART_MS, MAX_RESTART_MS);
    slot.failures = wasStable ? 1 : slot.failures + 1;
    slot.detail = `exited (${status}), restarting in ${(delayMs / 1000).toFixed(1)} s`;
    logger.error({ worker, pid, code, signal }, `Worker ${String(worker)} ${slot.detail}`);
    slot.restart = setTimeout(() => {
      this.#restarts.inc();
      this.#fork(slot);
    }, delayMs);
  }

  /** The health endpoint is that of this process, so an orchestrator would not notice a hung worker. */
  #killHungWorkers(): void {
    const now = performance.now();
    for (const { number: worker, process: child, connectedAt, reportedAt } of this.#slots) {
      if (child === undefined || connectedAt === undefined || now - reportedAt < HUNG_AFTER_MS) continue;
      const seconds = String(HUNG_AFTER_MS / 1000);
      this.#options.logger.error(
        { worker, pid: child.process.pid },
        `Worker ${String(worker)} has not responded for ${seconds} s; killing it`,
      );
      child.process.kill('SIGKILL');
    }
  }
}
