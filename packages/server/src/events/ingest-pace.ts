import { HttpProblem } from '../http/problem.ts';
import { limits } from './limits.ts';

/**
 * Ends a long body that makes too little progress, because the process is busy with earlier events or the log is slow: its
 * client would wait for minutes without an answer. Waiting for the client does not count, so a body may arrive slowly.
 */
export class IngestPace {
  readonly #clock: () => number;
  #spentMs = 0;
  #bytes = 0;

  /** @param clock monotonic, ms */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Does the work for some bytes: reading them, and waiting for the log. */
  async during(bytes: number, work: () => Promise<void>): Promise<void> {
    const startedAt = this.#clock();
    await work();
    this.#spentMs += this.#clock() - startedAt;
    this.#bytes += bytes;
  }

  /** @throws HttpProblem 429 when the progress is too slow. @param line the first line that is not read */
  check(line: number): void {
    if (this.#spentMs < limits.patienceMs) return;
    if (this.#bytes < (limits.bytesPerSecond * this.#spentMs) / 1_000) throw tooSlow(line);
    this.#spentMs = 0;
    this.#bytes = 0;
  }
}

function tooSlow(line: number): HttpProblem {
  const detail = `Loopwatch is busy with earlier events: send those from line ${String(line)} onward again in a moment`;
  return new HttpProblem(429, detail, {}, undefined, { 'retry-after': '5' });
}
