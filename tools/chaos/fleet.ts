import { writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CliProcess, spawnCli } from '@loopwatch/testkit';

/** A line that a worker has logged. */
export interface LogLine {
  readonly worker: string;
  /** When it arrived, epoch ms: the worker's own clock may be wrong. */
  readonly at: number;
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One `loopwatch worker` process. */
export interface FleetWorker {
  readonly name: string;
  readonly instanceId: string | undefined;
  readonly command: string | undefined;
  readonly process: CliProcess;
  state: 'starting' | 'running' | 'paused' | 'ended';
  /** How far its wall clock is off, ms. */
  clockMs: number;
}

export interface StartOptions {
  /** Its name in the group. */
  readonly instanceId?: string | undefined;
  /** The program of another version. */
  readonly command?: string | undefined;
  /** How far its wall clock is off, ms. */
  readonly clockMs?: number;
}

/** What `preload.mjs` reads. */
interface WorkerState {
  readonly clockMs: number;
  readonly isDiskFull?: boolean;
}

const preload = new URL('preload.mjs', import.meta.url).href;

/** The workers of a group, as real processes that can be started, stopped, frozen and killed. */
export class Fleet implements AsyncDisposable {
  readonly #configFile: string;
  readonly #folder: string;
  readonly #logs: string | undefined;
  readonly #lines: LogLine[] = [];
  /** Time of each start, from the process to its membership in the group, ms. */
  readonly startTimes: number[] = [];
  readonly #workers: FleetWorker[] = [];
  /** Unexpected failures: a worker that ended unasked, or did not shut down cleanly. */
  readonly faults: string[] = [];

  /**
   * @param configFile the settings of each worker
   * @param folder for files of the workers
   * @param logs the folder for one log file per worker, which remains however the run ends
   */
  constructor(configFile: string, folder: string, logs?: string) {
    this.#configFile = configFile;
    this.#folder = folder;
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

  /** Starts a worker without waiting for it to join the group. */
  start({ instanceId, command, clockMs = 0 }: StartOptions = {}): FleetWorker {
    const name = `worker-${this.#workers.length + 1}`;
    this.#tell(name, { clockMs });
    const began = Date.now();
    const env = {
      ...(instanceId !== undefined && { LOOPWATCH_KAFKA_INSTANCE_ID: instanceId }),
      LOOPWATCH_KAFKA_CLIENT_ID: name,
      CHAOS_STATE: this.#stateFile(name),
      NODE_OPTIONS: `--import ${preload}`,
    };
    const onLine = (line: string) => void this.#lines.push(...parsed(name, line));
    const process = spawnCli(['worker', '--config', this.#configFile], env, {
      onLine,
      ...(command !== undefined && { command }),
    });
    const worker: FleetWorker = { name, instanceId, command, process, state: 'starting', clockMs };
    this.#workers.push(worker);
    void process.line(/Watching /).then(
      () => {
        if (worker.state !== 'starting') return;
        worker.state = 'running';
        this.startTimes.push(Date.now() - began);
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
    if (state === 'starting' && end === 1) this.start(worker);
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
    if (worker.state === 'ended') return;
    process.kill(worker.process.pid, 'SIGCONT');
    worker.state = 'running';
  }

  /** Sets its wall clock while it runs. */
  setClock(worker: FleetWorker, clockMs: number): void {
    this.#change(worker, { clockMs });
  }

  /** Whether each write to its log fails. */
  setDisk(worker: FleetWorker, isDiskFull: boolean): void {
    this.#change(worker, { clockMs: worker.clockMs, isDiskFull });
  }

  #change(worker: FleetWorker, state: WorkerState): void {
    if (worker.state === 'ended') return;
    worker.clockMs = state.clockMs;
    this.#tell(worker.name, state);
    process.kill(worker.process.pid, 'SIGWINCH');
  }

  /** The workers' log lines so far, by time. */
  lines(): readonly LogLine[] {
    return this.#lines;
  }

  #tell(name: string, state: WorkerState): void {
    writeFileSync(this.#stateFile(name), JSON.stringify(state));
  }

  #stateFile(name: string): string {
    return join(this.#folder, `${name}.state.json`);
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
  const { level, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  return [{ worker, at: Date.now(), level: String(level), message: String(msg), fields }];
}
