import type { Verdict } from '@loopwatch/contract';
import type { Logger } from 'pino';
import type { IncidentBook } from './incident-book.ts';
import type { WorkerMetrics } from './metrics.ts';
import { logVerdict } from './verdict-log.ts';

/** A verdict on its way out, with the timestamp of the record that led to it, epoch ms. */
export interface Found {
  readonly verdict: Verdict;
  readonly timestamp: number;
}

interface Audience {
  readonly incidents: IncidentBook;
  readonly metrics: WorkerMetrics;
  readonly logger: Logger;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** Counts and logs verdicts that are durable. */
export function reportVerdicts(found: readonly Found[], { incidents, metrics, logger, now }: Audience): void {
  const sentAt = now();
  for (const { verdict, timestamp } of found) {
    incidents.note(verdict);
    incidents.noteActivity([verdict.incidentId], sentAt);
    metrics.detectionLatency.observe(Math.max(0, sentAt - timestamp) / 1000);
    logVerdict(logger, verdict);
  }
}
