import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 100;

/** Measures the response time of a URL ten times a second. */
export class HealthProbe implements AsyncDisposable {
  /** Response times in ms; Infinity if there was no response. */
  readonly times: number[] = [];
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(url: string) {
    this.#running = this.#run(url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(url: string): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const began = performance.now();
      const ok = await fetch(url).then(
        (response) => response.arrayBuffer().then(() => response.ok),
        () => false,
      );
      this.times.push(ok ? performance.now() - began : Infinity);
      await delay(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
