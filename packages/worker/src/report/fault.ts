import type { TopicPartition } from '@loopwatch/log';
import type { Logger } from 'pino';
import { RecordFault } from '../stream/each-record.ts';
import type { WorkerMetrics } from './metrics.ts';

export interface FaultReport {
  readonly metrics: Pick<WorkerMetrics, 'faults'>;
  readonly logger: Logger;
}

/** Counts and logs what no input may cause. The log restarts the partition from its last commit. */
export function reportFault(
  { metrics, logger }: FaultReport,
  { topic, partition }: TopicPartition,
  error: unknown,
): void {
  metrics.faults.inc();
  const fault = error instanceof RecordFault ? error : undefined;
  const at = fault === undefined ? '' : ` at offset ${String(fault.offset)}`;
  logger.error(
    { err: fault?.cause ?? error, topic, partition, offset: fault?.offset },
    `Processing partition ${String(partition)} of ${topic} failed${at}. This is a bug: please report it.`,
  );
}
