import { eventTypes } from '@loopwatch/contract';
import type { WorkerMetrics } from './metrics.ts';

/** The label that unknown event types share, so that a producer cannot make labels. */
const OTHER = 'other';

/** What else is counted of the events of a batch. */
const kinds = ['duplicates', 'refusedSettings', 'faults'] as const;
export type TallyKind = (typeof kinds)[number];

/** What a batch adds to the metrics once it is durable. */
export interface BatchCounts extends Readonly<Record<TallyKind, number>> {
  /** By type. */
  readonly events: ReadonlyMap<string, number>;
}

/** Counts the events of a batch; the metrics get the counts as a whole: a metric per event costs too much. */
export class EventTally {
  private readonly counts = new Map(eventTypes.map((type) => [type as string, { count: 0 }]));
  private readonly other = { count: 0 };
  private readonly noted: Record<TallyKind, number> = { duplicates: 0, refusedSettings: 0, faults: 0 };

  add(type: string): void {
    (this.counts.get(type) ?? this.other).count += 1;
  }

  note(kind: TallyKind): void {
    this.noted[kind] += 1;
  }

  /** What was counted since the last time. */
  take(): BatchCounts {
    const events = new Map<string, number>();
    for (const [type, tally] of [...this.counts, [OTHER, this.other] as const]) {
      if (tally.count > 0) events.set(type, tally.count);
      tally.count = 0;
    }
    const noted = { ...this.noted };
    for (const kind of kinds) this.noted[kind] = 0;
    return { events, ...noted };
  }
}

export function countEvents(
  { events, ...noted }: BatchCounts,
  metrics: Pick<WorkerMetrics, 'events' | 'toolCalls' | TallyKind>,
): void {
  metrics.toolCalls.inc(events.get('tool_call_request') ?? 0);
  for (const [type, count] of events) metrics.events.inc({ type }, count);
  for (const kind of kinds) metrics[kind].inc(noted[kind]);
}
