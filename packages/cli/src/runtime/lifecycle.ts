import type { Logger } from 'pino';

/** How long a graceful shutdown may take before the process exits anyway. */
const GRACE_MS = 30_000;
/** Of which this is left for the rest when open requests have been answered. */
const AFTER_DRAIN_MS = 10_000;
/** How long the process may then wait for what a library has left open. */
const LINGER_MS = 5_000;

/** Something that runs until it is stopped. */
export interface Running {
  stop(): Promise<void>;
}

/**
 * Exits with status 1 when another process may have locked the data folder, or it is lost or damaged: this process could
 * only fail, and a process manager can start a new one. Nothing more is written.
 */
export function exitWhenStorageLost(logger: Logger): (error: Error) => void {
  return (error) => {
    logger.error(`${error.message} Exiting with status 1.`);
    process.exit(1);
  };
}

/** The last one comes when a terminal is closed. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Waits for the start, however long the brokers are unavailable. Nothing is in progress yet, so a signal ends the
 * process at once, with status 0.
 */
export async function untilStarted<T>(starting: Promise<T>, logger: Logger): Promise<T> {
  const end = (signal: NodeJS.Signals): void => {
    logger.info({ reason: signal }, `${signal}: stopped before startup completed`);
    process.exit(0);
  };
  for (const name of signals) process.once(name, end);
  try {
    return await starting;
  } finally {
    for (const name of signals) process.off(name, end);
  }
}

/**
 * Waits for SIGTERM, SIGINT or SIGHUP, then stops the parts in the given order, those that accept work first. A second signal
 * ends the process at once.
 *
 * @param drainMs how long the first of them may wait for open requests
 */
export async function runUntilSignal(parts: readonly Running[], logger: Logger, drainMs = 0): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of signals) process.once(name, resolve);
  });
  for (const name of signals) process.once(name, () => process.exit(130));
  await stopInTime(parts, signal, logger, drainMs);
}

/**
 * Stops the parts in the given order; exits with status 1 if that takes too long. Afterwards the process ends, even if a
 * connection is still open.
 */
export async function stopInTime(
  parts: readonly Running[],
  reason: string,
  logger: Logger,
  drainMs = 0,
): Promise<void> {
  const graceMs = Math.max(GRACE_MS, drainMs + AFTER_DRAIN_MS);
  logger.info({ reason }, `${reason}: shutting down after the work in progress`);
  const deadline = setTimeout(() => {
    logger.error(`Shutdown did not finish within ${String(graceMs / 1000)} s; exiting`);
    process.exit(1);
  }, graceMs);
  for (const part of parts) await part.stop();
  clearTimeout(deadline);
  logger.info('Stopped');
  setTimeout(() => process.exit(), LINGER_MS).unref();
}
