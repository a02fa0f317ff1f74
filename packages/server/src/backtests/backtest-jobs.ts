import { randomUUID } from 'node:crypto';
import {
  type Backtest,
  type BacktestJob,
  type BacktestResult,
  backtestJobSchema,
} from '@loopwatch/contract/api';
import type { Logger } from 'pino';
import { HttpProblem } from '../http/problem.ts';

/** The work of a job. `run` rejects with the signal's reason when aborted. */
export interface BacktestWork {
  readonly total: number;
  readonly variants: readonly string[];
  readonly by: string;
  run(
    signal: AbortSignal,
    onProgress: (progress: { done: number; events: number }) => void,
  ): Promise<BacktestResult>;
}

interface Job {
  state: Backtest;
  readonly work: BacktestWork;
  readonly abort: AbortController;
  /** When `onChange` was last called, wall clock, epoch ms. */
  notifiedAt: number;
}

/** Jobs that are kept with their results; the oldest are dropped. */
const MAX_JOBS = 20;
const MAX_QUEUED = 10;
/** The interval of progress notifications; status changes are sent at once. */
const PROGRESS_MS = 250;

/** Runs backtests one at a time, in memory: jobs and results do not survive a restart. */
export class BacktestJobs {
  readonly #jobs = new Map<string, Job>();
  readonly #now: () => number;
  readonly #logger: Logger;
  readonly #onChange: (job: BacktestJob) => void;
  #running: Promise<void> | undefined;

  /** @param onChange called at each change of status, and at intervals with progress */
  constructor(now: () => number, logger: Logger, onChange: (job: BacktestJob) => void) {
    this.#now = now;
    this.#logger = logger;
    this.#onChange = onChange;
  }

  /** @throws HttpProblem 429 when the queue is full */
  add(work: BacktestWork): Backtest {
    if (this.counts.queued >= MAX_QUEUED) {
      throw new HttpProblem(
        429,
        `The queue is full (${String(MAX_QUEUED)} backtests); retry when some have finished`,
      );
    }
    const state: Backtest = {
      id: randomUUID(),
      status: 'queued',
      progress: { done: 0, total: work.total, events: 0 },
      variants: [...work.variants],
      createdAt: this.#now(),
      createdBy: work.by,
      finishedAt: null,
      error: null,
      result: null,
    };
    this.#jobs.set(state.id, { state, work, abort: new AbortController(), notifiedAt: 0 });
    this.#dropOldest();
    this.#wake();
    return state;
  }

  #wake(): void {
    this.#running ??= this.#runAll().finally(() => {
      this.#running = undefined;
      // A job may have been added just as the last one ended.
      if (this.counts.queued > 0) this.#wake();
    });
  }

  /** Newest first. */
  list(): BacktestJob[] {
    return [...this.#jobs.values()].map(({ state }) => summaryOf(state)).reverse();
  }

  /** @throws HttpProblem 404 */
  get(id: string): Backtest {
    return this.#job(id).state;
  }

  /** @throws HttpProblem 404 */
  cancel(id: string): Backtest {
    const job = this.#job(id);
    job.abort.abort(new Error('cancelled'));
    if (job.state.status === 'queued') this.#change(job, { status: 'cancelled', finishedAt: this.#now() });
    return job.state;
  }

  get counts(): { queued: number; running: number } {
    const count = (status: Backtest['status']): number =>
      [...this.#jobs.values()].filter(({ state }) => state.status === status).length;
    return { queued: count('queued'), running: count('running') };
  }

  /** Cancels all jobs, and waits for the running one. */
  async stop(): Promise<void> {
    for (const id of this.#jobs.keys()) this.cancel(id);
    await this.#running;
  }

  async #runAll(): Promise<void> {
    for (let job = this.#nextJob(); job !== undefined; job = this.#nextJob()) await this.#run(job);
  }

  #nextJob(): Job | undefined {
    return [...this.#jobs.values()].find(({ state }) => state.status === 'queued');
  }

  async #run(job: Job): Promise<void> {
    const { work, abort } = job;
    this.#change(job, { status: 'running' });
    try {
      const result = await work.run(abort.signal, ({ done, events }) => {
        job.state = { ...job.state, progress: { done, total: work.total, events } };
        if (this.#now() - job.notifiedAt >= PROGRESS_MS) this.#notify(job);
      });
      this.#change(job, { status: 'done', result, finishedAt: this.#now() });
    } catch (err) {
      const cancelled = abort.signal.aborted;
      if (!cancelled) this.#logger.warn({ err, backtest: job.state.id }, 'Backtest failed');
      const error = cancelled ? null : 'Could not read the event log; retry';
      this.#change(job, { status: cancelled ? 'cancelled' : 'failed', error, finishedAt: this.#now() });
    }
  }

  #change(job: Job, part: Partial<Backtest>): void {
    job.state = { ...job.state, ...part };
    this.#notify(job);
  }

  #notify(job: Job): void {
    job.notifiedAt = this.#now();
    this.#onChange(summaryOf(job.state));
  }

  #job(id: string): Job {
    const job = this.#jobs.get(id);
    if (job === undefined)
      throw new HttpProblem(
        404,
        `Backtest ${id} not found; backtests do not survive a restart of the server`,
      );
    return job;
  }

  #dropOldest(): void {
    for (const [id, { state }] of this.#jobs) {
      if (this.#jobs.size <= MAX_JOBS) return;
      if (state.finishedAt !== null) this.#jobs.delete(id);
    }
  }
}

function summaryOf(backtest: Backtest): BacktestJob {
  return backtestJobSchema.parse(backtest);
}
