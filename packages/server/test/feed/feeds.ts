import { detectionSchema, type Verdict } from '@loopwatch/contract';
import type { Database } from '@loopwatch/storage';
import { waitFor } from '@loopwatch/testkit';
import { Registry } from 'prom-client';
import { Feeds } from '../../src/feed/feeds.ts';
import { createServerMetrics } from '../../src/metrics/metrics.ts';
import type { MemoryLog } from '../memory-log.ts';
import { silent, topics } from '../running-server.ts';
import { START, verdict } from '../verdicts.ts';

/** Feeds that a test starts and stops. */
export function feedsOf(
  database: Database,
  log: MemoryLog,
  logger = silent,
  more: Partial<ConstructorParameters<typeof Feeds>[0]> = {},
): Feeds {
  const configured = { settings: detectionSchema.parse({}) };
  return new Feeds({
    log,
    configured,
    topics,
    database,
    logger,
    metrics: createServerMetrics(new Registry()),
    enqueue: () => Promise.resolve(),
    onStored: () => undefined,
    onSettings: () => undefined,
    onMarks: () => undefined,
    budgets: { add: () => Promise.resolve(), wake: () => undefined },
    subAgents: { note: () => undefined },
    sink: log.sink(),
    now: () => START,
    ...more,
  });
}

/** Runs feeds until they have read the log. */
export async function readAll(feeds: Feeds, log: MemoryLog): Promise<void> {
  await feeds.run();
  await waitFor(() => log.delivered);
}

/** The verdicts on so many incidents, three each. */
export function lives(count: number): Verdict[] {
  const phases = ['opened', 'escalated', 'resolved'] as const;
  return Array.from({ length: count * 3 }, (_, n) => {
    const phase = phases[n % 3] ?? 'opened';
    return verdict({
      incidentId: `i-${String(Math.floor(n / 3))}`,
      phase,
      count: 5 + (n % 3),
      time: START + n,
    });
  });
}
