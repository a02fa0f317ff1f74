import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CliProcess, spawnCli } from '@loopwatch/testkit';

/** A line that a worker has logged. */
export interface LogLine {
  readonly worker: string;
  /** Epoch ms. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One `loopwatch worker` process. */
export interface FleetWorker {
  readonly name: string;
  readonly instanceId: string | undefined;
  readonly process: CliProcess;
  state: 'starting' | 'running' | 'paused' | 'ended';
}

/** The workers of a group, as real processes that can be started, stopped, frozen and killed. */
export class Fleet implements AsyncDisposable {
  readonly #configFile: string;
  readonly #logs: string | undefined;
  readonly #workers: FleetWorker[] = [];
  /** Unexpected failures: a worker that ended unasked, or did not shut down cleanly. */
  readonly faults: string[] = [];

  /**
   * @param configFile the settings of each worker
   * @param logs the folder for one log file per worker, which remains however the run ends
   */
  constructor(configFile: string, logs?: string) {
    this.#configFile = configFile;
    this.#logs = logs;
  }

  /** Workers that have joined their group. */
  get running(): readonly FleetWorker[] {
    return this.#workers.filter(({ state }) => state === 'running');
  }

  /** Workers that have not ended. */
  get living(): readonly FleetWorker[] {
    return this.#workers.filter(({ state }) => state !== 'ended');
  }

  /**
   * Starts a worker without waiting for it to join the group.
   *
   * @param instanceId its name in the group
   */
  start(instanceId?: string): FleetWorker {
    const name = `worker-${this.#workers.length + 1}`;
    const env = instanceId === undefined ? {} : { LOOPWATCH_KAFKA_INSTANCE_ID: instanceId };
    const process = spawnCli(['worker', '--config', this.#configFile], env);
    const worker: FleetWorker = { name, instanceId, process, state: 'starting' };
    this.#workers.push(worker);
    void process.line(/Watching /).then(
      () => {
        if (worker.state === 'starting') worker.state = 'running';
      },
      () => undefined,
    );
    void process.exited.then((end) => this.#ended(worker, end));
    return worker;
  }

  #ended(worker: FleetWorker, end: number | NodeJS.Signals): void {
    const { name, state, process } = worker;
    if (state === 'ended') return;
    worker.state = 'ended';
    // A worker that finds no broker exits; its operator restarts it.
    if (state === 'starting' && end === 1) this.start(worker.instanceId);
    else this.faults.push(`${name} ended unexpectedly (${end}): ${process.stderr.slice(-5).join(' | ')}`);
  }

  async kill(worker: FleetWorker): Promise<void> {
    worker.state = 'ended';
    await worker.process.stop('SIGKILL');
  }

  /** Shuts it down cleanly. */
  async stop(worker: FleetWorker): Promise<void> {
    const { state } = worker;
    worker.state = 'ended';
    const end = await worker.process.stop();
    if (end !== 0 && state !== 'starting')
      this.faults.push(`${worker.name} did not shut down cleanly: ${end}`);
  }

  pause(worker: FleetWorker): void {
    worker.state = 'paused';
    process.kill(worker.process.pid, 'SIGSTOP');
  }

  resume(worker: FleetWorker): void {
    process.kill(worker.process.pid, 'SIGCONT');
    worker.state = 'running';
  }

  /** The workers' log lines so far, by time. */
  lines(): LogLine[] {
    return this.#workers
      .flatMap(({ name, process: { stdout } }) => stdout.flatMap((line) => parsed(name, line)))
      .toSorted((a, b) => a.at - b.at);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) worker.state = 'ended';
    await Promise.all(this.#workers.map(({ process }) => process.stop('SIGKILL')));
    if (this.#logs !== undefined) await this.#saveLogs(this.#logs);
  }

  async #saveLogs(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true });
    for (const { name, process } of this.#workers) {
      const { stdout, stderr } = process;
      await writeFile(join(folder, `${name}.log`), [...stdout, ...stderr, ''].join('\n'));
    }
  }
}

function parsed(worker: string, line: string): LogLine[] {
  if (!line.startsWith('{')) return [];
  const { time, level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  return [{ worker, at: Date.parse(String(time)), level: String(level), message: String(msg), fields }];
}
