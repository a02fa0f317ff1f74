import type { Logger } from 'pino';

/** Asks a running process for more log lines. Windows has no such signal. */
const DEBUG_SIGNAL = 'SIGUSR2';

/** How long each signal lasts. A fixed time cannot be forgotten, and a signal that arrives twice changes nothing. */
const DEBUG_MINUTES = 10;

/**
 * Logs at level debug for ten minutes after each signal.
 *
 * @param forward passes the signal to the processes that this one supervises
 */
export function debugOnSignal(
  logger: Logger,
  forward?: () => void,
  signals: Pick<NodeJS.EventEmitter, 'on'> = process,
): void {
  const usual = logger.level;
  let end: NodeJS.Timeout | undefined;
  if (process.platform === 'win32') return;
  signals.on(DEBUG_SIGNAL, () => {
    forward?.();
    logger.level = 'debug';
    logger.info(`${DEBUG_SIGNAL}: logging at level debug for ${String(DEBUG_MINUTES)} minutes`);
    clearTimeout(end);
    end = setTimeout(() => {
      logger.info(`Logging at level ${usual} again`);
      logger.level = usual;
    }, DEBUG_MINUTES * 60_000).unref();
  });
}
