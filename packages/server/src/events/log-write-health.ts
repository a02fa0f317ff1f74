import type { Logger } from 'pino';

/** How often a log that keeps failing is reported. */
const REMINDER_MS = 60_000;
/**
 * A failure expires, because an unready server may get no further request that could show that the log is healthy
 * again.
 */
const STALE_MS = 30_000;

interface Outage {
  readonly since: number;
  /** The latest error message. */
  reason: string;
  /** Events that were not written so far. */
  failedEvents: number;
  latestAt: number;
  loggedAt: number;
}

/**
 * Whether the event log accepts writes, judging by the latest request. Producers retry, so an outage is logged when it
 * starts, then once a minute, and when it ends.
 */
export class LogWriteHealth {
  readonly #logger: Logger;
  readonly #monotonic: () => number;
  #outage: Outage | undefined;

  /** @param monotonic ms */
  constructor(logger: Logger, monotonic: () => number) {
    this.#logger = logger;
    this.#monotonic = monotonic;
  }

  /** Why the log accepts no events; undefined while no failure is known. */
  get problem(): string | undefined {
    const outage = this.#outage;
    return outage === undefined || this.#monotonic() - outage.latestAt > STALE_MS ? undefined : outage.reason;
  }

  onFailure(error: unknown, events: number): void {
    const now = this.#monotonic();
    const reason = error instanceof Error ? error.message : String(error);
    const outage = (this.#outage ??= {
      since: now,
      reason,
      failedEvents: 0,
      latestAt: now,
      loggedAt: -Infinity,
    });
    outage.reason = reason;
    outage.latestAt = now;
    outage.failedEvents += events;
    if (now - outage.loggedAt < REMINDER_MS) return;
    outage.loggedAt = now;
    this.#logger.error({ events: outage.failedEvents, reason }, 'Writing events to the log failed');
  }

  onSuccess(): void {
    const outage = this.#outage;
    if (outage === undefined) return;
    this.#outage = undefined;
    const seconds = Math.round((this.#monotonic() - outage.since) / 1_000);
    this.#logger.info(
      { seconds, failedEvents: outage.failedEvents },
      'Writing events to the log works again',
    );
  }
}
