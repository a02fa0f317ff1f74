import { randomUUID } from 'node:crypto';
import {
  type Backtest,
  type BacktestJob,
  type BacktestResult,
  backtestJobSchema,
} from '@loopwatch/contract/api';
import type { Logger } from 'pino';
import { HttpProblem } from '../http/problem.ts';

/** The work of a job; it ends with the signal's reason when that is aborted. */
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
  /** When it was last told of, wall clock in epoch ms. */
  toldAt: number;
}

/** Jobs that are kept, with their results; the oldest go first. */
const kept = 20;
const MAX_QUEUED = 10;
/** Progress is told no more often than that; how a job ends is told at once. */
const progressMs = 250;

/** Backtests of this server, one at a time; they and their results are gone when it ends. */
export class BacktestJobs {
  private readonly jobs = new Map<string, Job>();
  private readonly now: () => number;
  private readonly logger: Logger;
  private readonly onChange: (job: BacktestJob) => void;
  private running: Promise<void> | undefined;

  /** @param onChange told at each change of status, and now and then of progress */
  constructor(now: () => number, logger: Logger, onChange: (job: BacktestJob) => void) {
    this.now = now;
    this.logger = logger;
    this.onChange = onChange;
  }

  /** @throws HttpProblem 429 when too many wait already */
  add(work: BacktestWork): Backtest {
    if (this.counts.queued >= MAX_QUEUED) {
      throw new HttpProblem(
        429,
        `${String(MAX_QUEUED)} backtests wait already; try again when some are done`,
      );
    }
    const state: Backtest = {
      id: randomUUID(),
      status: 'queued',
      progress: { done: 0, total: work.total, events: 0 },
      variants: [...work.variants],
      createdAt: this.now(),
      createdBy: work.by,
      finishedAt: null,
      error: null,
      result: null,
    };
    this.jobs.set(state.id, { state, work, abort: new AbortController(), toldAt: 0 });
    this.forgetOldest();
    this.wake();
    return state;
  }

  private wake(): void {
    this.running ??= this.runAll().finally(() => {
      this.running = undefined;
      // One may have come when the last had just ended.
      if (this.counts.queued > 0) this.wake();
    });
  }

  /** The latest first. */
  list(): BacktestJob[] {
    return [...this.jobs.values()].map(({ state }) => summaryOf(state)).reverse();
  }

  /** @throws HttpProblem 404 */
  get(id: string): Backtest {
    return this.job(id).state;
  }

  /** @throws HttpProblem 404 */
  cancel(id: string): Backtest {
    const job = this.job(id);
    job.abort.abort(new Error('cancelled'));
    if (job.state.status === 'queued') this.change(job, { status: 'cancelled', finishedAt: this.now() });
    return job.state;
  }

  get counts(): { queued: number; running: number } {
    const count = (status: Backtest['status']): number =>
      [...this.jobs.values()].filter(({ state }) => state.status === status).length;
    return { queued: count('queued'), running: count('running') };
  }

  /** Cancels all, and waits for the one at work. */
  async stop(): Promise<void> {
    for (const id of this.jobs.keys()) this.cancel(id);
    await this.running;
  }

  private async runAll(): Promise<void> {
    for (let job = this.nextJob(); job !== undefined; job = this.nextJob()) await this.run(job);
  }

  private nextJob(): Job | undefined {
    return [...this.jobs.values()].find(({ state }) => state.status === 'queued');
  }

  private async run(job: Job): Promise<void> {
    const { work, abort } = job;
    this.change(job, { status: 'running' });
    try {
      const result = await work.run(abort.signal, ({ done, events }) => {
        job.state = { ...job.state, progress: { done, total: work.total, events } };
        if (this.now() - job.toldAt >= progressMs) this.tell(job);
      });
      this.change(job, { status: 'done', result, finishedAt: this.now() });
    } catch (err) {
      const cancelled = abort.signal.aborted;
      if (!cancelled) this.logger.warn({ err, backtest: job.state.id }, 'a backtest failed');
      const error = cancelled ? null : 'The event log could not be read to the end; try again';
      this.change(job, { status: cancelled ? 'cancelled' : 'failed', error, finishedAt: this.now() });
    }
  }

  private change(job: Job, part: Partial<Backtest>): void {
    job.state = { ...job.state, ...part };
    this.tell(job);
  }

  private tell(job: Job): void {
    job.toldAt = this.now();
    this.onChange(summaryOf(job.state));
  }

  private job(id: string): Job {
    const job = this.jobs.get(id);
    if (job === undefined)
      throw new HttpProblem(404, `There is no backtest ${id}; a server forgets them when it ends`);
    return job;
  }

  private forgetOldest(): void {
    for (const [id, { state }] of this.jobs) {
      if (this.jobs.size <= kept) return;
      if (state.finishedAt !== null) this.jobs.delete(id);
    }
  }
}

function summaryOf(backtest: Backtest): BacktestJob {
  return backtestJobSchema.parse(backtest);
}
