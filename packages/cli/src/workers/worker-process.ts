import { type ChildProcess, fork } from 'node:child_process';
import type { Logger } from 'pino';
import { type Answers, type Question, reportSchema } from './worker-messages.ts';

/** How a process ended: by its exit status, or by a signal. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A worker process as its supervisor sees it. */
export interface WorkerProcess {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Resolves when it is connected for the first time; never, if it is not. */
  readonly ready: Promise<void>;
  readonly ended: Promise<ProcessEnd>;
  /** Resolves with undefined when there is no answer in time, or the process ends before. */
  ask<K extends keyof Answers>(what: K, timeoutMs: number): Promise<Answers[K] | undefined>;
  kill(signal: NodeJS.Signals): void;
}

/** The flag that makes a command the worker of this number under a supervisor. */
export const supervisedFlag = '--supervised-as';

/** Starts the command that this process runs once more, as the worker of this number. */
export function forkWorker(worker: number, logger: Logger): WorkerProcess {
  const [, script = '', ...args] = process.argv;
  const child = fork(script, [...args, supervisedFlag, String(worker)], {
    // Logs go where those of the supervisor go. JSON would turn values that are not finite into null.
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
  return new ForkedWorker(worker, child, logger);
}

class ForkedWorker implements WorkerProcess {
  readonly ready: Promise<void>;
  readonly ended: Promise<ProcessEnd>;
  readonly #child: ChildProcess;
  readonly #open = new Map<number, (answer: Answers[keyof Answers] | undefined) => void>();
  #questions = 0;

  constructor(worker: number, child: ChildProcess, logger: Logger) {
    this.#child = child;
    let ready = (): void => undefined;
    this.ready = new Promise((resolve) => {
      ready = resolve;
    });
    child.on('message', (message) => {
      const report = reportSchema.safeParse(message);
      if (!report.success) logger.error({ worker, err: report.error }, 'Invalid message from a worker');
      else if (report.data.kind === 'ready') ready();
      else if (report.data.kind === 'status') this.#answer(report.data.id, report.data.status);
      else this.#answer(report.data.id, report.data.metrics);
    });
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null): void => {
        resolve({ code, signal });
        for (const id of [...this.#open.keys()]) this.#answer(id, undefined);
      };
      child.once('exit', end);
      child.on('error', (err) => {
        logger.error({ worker, err }, `Worker ${String(worker)}: ${err.message}`);
        // Without a process there is none to exit.
        if (child.pid === undefined) end(null, null);
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  ask<K extends keyof Answers>(what: K, timeoutMs: number): Promise<Answers[K] | undefined> {
    if (!this.#child.connected) return Promise.resolve(undefined);
    const id = this.#questions++;
    return new Promise((resolve) => {
      const late = setTimeout(() => this.#answer(id, undefined), timeoutMs);
      this.#open.set(id, (answer) => {
        clearTimeout(late);
        // A worker answers a question with what it asked for; the schema has checked the form.
        resolve(answer as Answers[K] | undefined);
      });
      const question: Question = { id, ask: what };
      this.#child.send(question, (error) => {
        if (error !== null) this.#answer(id, undefined);
      });
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  #answer(id: number, answer: Answers[keyof Answers] | undefined): void {
    const resolve = this.#open.get(id);
    this.#open.delete(id);
    resolve?.(answer);
  }
}
