import { eventTypes } from '@loopwatch/contract';
import type { WorkerMetrics } from './metrics.ts';

/** The label that unknown event types share, so that a producer cannot make labels. */
const OTHER = 'other';

/** Events of one batch, by type. */
export type EventCounts = ReadonlyMap<string, number>;

/** Counts the events of a batch; the metrics get the counts as a whole: a metric per event costs too much. */
export class EventTally {
  private readonly counts = new Map(eventTypes.map((type) => [type as string, { count: 0 }]));
  private readonly other = { count: 0 };

  add(type: string): void {
    (this.counts.get(type) ?? this.other).count += 1;
  }

  /** What was counted since the last time. */
  take(): EventCounts {
    const taken = new Map<string, number>();
    for (const [type, tally] of [...this.counts, [OTHER, this.other] as const]) {
      if (tally.count > 0) taken.set(type, tally.count);
      tally.count = 0;
    }
    return taken;
  }
}

export function countEvents(counts: EventCounts, metrics: Pick<WorkerMetrics, 'events' | 'toolCalls'>): void {
  metrics.toolCalls.inc(counts.get('tool_call_request') ?? 0);
  for (const [type, count] of counts) metrics.events.inc({ type }, count);
}
