import { eventTypes } from '@loopwatch/contract';
import type { WorkerMetrics } from './metrics.ts';

/** The label that unknown event types share, so that a producer cannot make labels. */
const OTHER = 'other';

/** Counts the events of a batch, and hands the counts to the metrics at its end: a metric per event costs too much. */
export class EventTally {
  private readonly counts = new Map(eventTypes.map((type) => [type as string, { count: 0 }]));
  private readonly other = { count: 0 };

  add(type: string): void {
    (this.counts.get(type) ?? this.other).count += 1;
  }

  flush({ events, toolCalls }: Pick<WorkerMetrics, 'events' | 'toolCalls'>): void {
    toolCalls.inc(this.counts.get('tool_call_request')?.count ?? 0);
    for (const [type, tally] of [...this.counts, [OTHER, this.other] as const]) {
      if (tally.count > 0) events.inc({ type }, tally.count);
      tally.count = 0;
    }
  }
}
