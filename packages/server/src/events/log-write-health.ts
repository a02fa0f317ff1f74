import type { Logger } from 'pino';

/** A log that goes on refusing posted events is told of so often. */
const REMIND_MS = 60_000;
/** A failure is no news after this: without readiness no request may come that would find the log well. */
const STALE_MS = 30_000;

interface Failing {
  readonly since: number;
  /** What the log said at last. */
  reason: string;
  /** Events that were not taken so far. */
  refused: number;
  latestAt: number;
  toldAt: number;
}

/**
 * Whether the log takes posted events, as the latest request found it. Producers retry, so that a failure is told of
 * once, then once a minute, and when it is over.
 */
export class LogWriteHealth {
  readonly #logger: Logger;
  readonly #now: () => number;
  #failing: Failing | undefined;

  constructor(logger: Logger, now: () => number) {
    this.#logger = logger;
    this.#now = now;
  }

  /** Why the log does not take events; undefined while it does, as far as is known. */
  get trouble(): string | undefined {
    const failing = this.#failing;
    return failing === undefined || this.#now() - failing.latestAt > STALE_MS ? undefined : failing.reason;
  }

  failed(error: unknown, events: number): void {
    const now = this.#now();
    const reason = error instanceof Error ? error.message : String(error);
    const failing = (this.#failing ??= { since: now, reason, refused: 0, latestAt: now, toldAt: -Infinity });
    failing.reason = reason;
    failing.latestAt = now;
    failing.refused += events;
    if (now - failing.toldAt < REMIND_MS) return;
    failing.toldAt = now;
    const { refused } = failing;
    this.#logger.error({ refused }, `The event log does not take posted events: ${reason}`);
  }

  succeeded(): void {
    const failing = this.#failing;
    if (failing === undefined) return;
    this.#failing = undefined;
    const seconds = Math.round((this.#now() - failing.since) / 1_000);
    const { refused } = failing;
    this.#logger.info(
      { refused },
      `The event log takes posted events again after ${String(seconds)} s; ${String(refused)} were refused meanwhile`,
    );
  }
}
