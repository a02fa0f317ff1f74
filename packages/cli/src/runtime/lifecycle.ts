import type { Logger } from 'pino';

/** How long a graceful end may take before the process ends anyway. */
const GRACE_MS = 30_000;

/** Something that runs until it is stopped. */
export interface Running {
  stop(): Promise<void>;
}

/**
 * Ends the process when its data folder may be another's, or its database is gone: whatever supervises it starts one
 * that works, while this one could only fail. Nothing is written any more.
 */
export function endWhenLost(logger: Logger): (error: Error) => void {
  return (err) => {
    logger.error({ err }, `${err.message} This process ends with status 1; start it again.`);
    process.exit(1);
  };
}

const signals = ['SIGTERM', 'SIGINT'] as const;

/**
 * Waits for what is starting, however long its brokers are away. Nothing is in progress yet, so that a signal ends the
 * process at once, as a stop in order.
 */
export async function untilStarted<T>(starting: Promise<T>, logger: Logger): Promise<T> {
  const end = (signal: NodeJS.Signals): void => {
    logger.info({ reason: signal }, `${signal}: stopped before the start was complete`);
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
 * Waits for SIGTERM or SIGINT, then stops what runs, in the given order: what takes in work first. A second signal
 * ends the process at once.
 */
export async function runUntilSignal(parts: readonly Running[], logger: Logger): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of signals) process.once(name, resolve);
  });
  for (const name of signals) process.once(name, () => process.exit(130));
  await stopInTime(parts, signal, logger);
}

/** Stops what runs, in the given order; the process ends anyway, with status 1, when that takes too long. */
export async function stopInTime(parts: readonly Running[], reason: string, logger: Logger): Promise<void> {
  logger.info({ reason }, `${reason}: stopping; what is in progress is finished first`);
  const deadline = setTimeout(() => {
    logger.error(`Not stopped within ${String(GRACE_MS / 1000)} s; ending anyway`);
    process.exit(1);
  }, GRACE_MS);
  for (const part of parts) await part.stop();
  clearTimeout(deadline);
  logger.info('Stopped');
}
