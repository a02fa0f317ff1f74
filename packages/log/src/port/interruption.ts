import type { LogFunction } from '@loopwatch/platform';
import type { Place } from './task.ts';

/** Says that a task restarts; in the message too, because a terminal shows no fields. */
export function tellInterruption(
  log: LogFunction | undefined,
  { topic, partition }: Place,
  failure: { readonly failuresInARow: number; readonly pauseMs: number; readonly error: string },
): void {
  const message = `Work on partition ${String(partition)} of ${topic} was interrupted and restarts from what is durable: ${failure.error}`;
  log?.('warn', message.replaceAll(/\p{Cc}+/gu, ' '), { topic, partition, ...failure });
}
