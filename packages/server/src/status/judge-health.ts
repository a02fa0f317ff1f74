import type { Status } from '@loopwatch/contract/api';
import type { Registry } from 'prom-client';

/** The counter of a worker in the same process. */
const METRIC = 'loopwatch_semantic_checks_total';
const failures: ReadonlySet<unknown> = new Set(['error', 'timeout', 'malformed']);
const answers: ReadonlySet<unknown> = new Set(['loop', 'none', 'discarded']);
/** How far back failures count, as in the alert. */
const WINDOW_MS = 30 * 60_000;
const MIN_STEP_MS = 60_000;

interface Sample {
  readonly at: number;
  readonly checks: number;
  readonly failed: number;
}

/** How many of the latest semantic checks failed, if the worker runs in this process. */
export class JudgeHealth {
  readonly #registry: Registry;
  readonly #now: () => number;
  /** Oldest first, the first one outside the window. */
  #samples: Sample[];

  constructor(registry: Registry, now: () => number) {
    this.#registry = registry;
    this.#now = now;
    this.#samples = [{ at: now(), checks: 0, failed: 0 }];
  }

  /** @returns null if nothing was checked */
  async read(): Promise<Status['judge']> {
    const current = await this.#count();
    if (current === undefined) return null;
    const start = current.at - WINDOW_MS;
    while ((this.#samples[1]?.at ?? Infinity) <= start) this.#samples.shift();
    const [before = current] = this.#samples;
    if (current.at - (this.#samples.at(-1)?.at ?? 0) >= MIN_STEP_MS) this.#samples.push(current);
    const checks = current.checks - before.checks;
    const failed = current.failed - before.failed;
    if (checks === 0) return null;
    return { checks, failed, since: before.at, failing: failed > 5 && failed > checks / 2 };
  }

  async #count(): Promise<Sample | undefined> {
    const metric = await this.#registry.getSingleMetric(METRIC)?.get();
    if (metric === undefined) return undefined;
    const sumOf = (results: ReadonlySet<unknown>) =>
      metric.values
        .filter(({ labels }) => results.has(labels['result']))
        .reduce((sum, { value }) => sum + value, 0);
    const failed = sumOf(failures);
    return { at: this.#now(), failed, checks: failed + sumOf(answers) };
  }
}
