import type { WorkerStatus } from '@loopwatch/worker';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { UsageError } from '../errors.ts';
import { questionSchema, type Report, snapshotSchema } from './worker-messages.ts';
import { supervisedFlag } from './worker-process.ts';

/** What a worker process has of its supervisor. */
export interface SupervisorLink {
  /**
   * Resolves with the reason to stop: a signal, or that the supervisor is gone. Signals after the first change nothing:
   * a terminal and systemd send one to each process, and the supervisor passes on its own.
   */
  readonly stopAsked: Promise<string>;
  /** Says that this worker is connected. */
  ready(): void;
  /** Lets the process end. */
  close(): void;
}

/**
 * Answers the supervisor's questions until it is closed.
 *
 * @throws UsageError when no supervisor has started this process
 */
export function linkToSupervisor(
  status: () => WorkerStatus,
  registry: Registry,
  logger: Logger,
): SupervisorLink {
  if (process.send === undefined)
    throw new UsageError(`${supervisedFlag} is for the processes that --workers starts; use --workers.`);
  const answer = async (message: unknown): Promise<void> => {
    const { id, ask } = questionSchema.parse(message);
    if (ask === 'status') say({ kind: 'status', id, status: status() });
    else say({ kind: 'metrics', id, metrics: snapshotSchema.parse(await registry.getMetricsAsJSON()) });
  };
  process.on('message', (message) => {
    answer(message).catch((err: unknown) => {
      logger.error({ err }, 'The supervisor asked what could not be answered');
    });
  });
  const stopAsked = new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => resolve(name));
    const gone = (): void => resolve('The supervisor is gone');
    process.once('disconnect', gone);
    // It may have gone while this process was loading.
    if (!process.connected) gone();
  });
  return {
    stopAsked,
    ready: () => say({ kind: 'ready' }),
    close: () => {
      if (process.connected) process.disconnect();
    },
  };
}

/** A supervisor that is gone is told of by the closed channel. */
function say(report: Report): void {
  if (process.connected) process.send?.(report, undefined, undefined, () => undefined);
}
