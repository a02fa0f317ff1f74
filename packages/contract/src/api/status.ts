import { z } from 'zod';
import { topicRoles } from '../settings/topics.ts';
import { detectorIds } from '../verdicts/detectors.ts';
import { notificationStatusSchema } from './notifications.ts';

/** `GET /status`: how the server itself is. */

const count = z.int().nonnegative();

const partitionStatusSchema = z.object({
  partition: z.int(),
  position: count.describe('The offset the server reads next.'),
  lag: count.nullable().describe('Records behind that; null before the first were read.'),
});

export const statusSchema = z.object({
  version: z.string(),
  preset: z.string(),
  configHash: z.string(),
  startedAt: z.number(),
  serverTime: z.number(),
  checks: z.record(z.string(), z.object({ ok: z.boolean(), detail: z.string().optional() })),
  log: z.object({
    kind: z.enum(['kafka', 'embedded']),
    state: z.enum(['up', 'down']),
    reason: z.string().nullable().describe('Why it is down.'),
    topics: z.array(
      z.object({
        role: z.enum(topicRoles),
        name: z.string(),
        read: z.boolean().describe('Whether the server follows it; of others only the name is told.'),
        partitions: z.array(partitionStatusSchema),
      }),
    ),
  }),
  database: z.object({
    kind: z.enum(['pglite', 'postgres']),
    version: z.string(),
    bytes: count.describe('What the tables take.'),
    verdicts: count,
    incidents: count,
    sessions: count,
    oldestAt: z.number().nullable().describe('Wall clock of the oldest verdict kept.'),
  }),
  retention: z.object({
    days: z.number().nullable(),
    megabytes: z.number().nullable(),
    dropped: count.describe('Incidents that retention has taken so far.'),
    lastRunAt: z.number().nullable(),
  }),
  detectors: z
    .array(
      z.object({
        id: z.enum(detectorIds),
        on: z.boolean(),
        reason: z.string().nullable().describe('Why it is off although the settings switch it on.'),
      }),
    )
    .describe('Under the effective settings.'),
  live: z.object({
    clients: count,
    sequence: count.describe('Number of the latest change.'),
    dropped: count.describe('Changes that clients were not sent one by one, because there were too many.'),
  }),
  backtests: z.object({ queued: count, running: count }),
  notifications: z
    .array(notificationStatusSchema)
    .describe('Where messages about incidents go, and how delivery stands.'),
  links: z.object({
    grafana: z.string().nullable().describe('The dashboard in Grafana; null where none is configured.'),
    kafka: z
      .string()
      .nullable()
      .describe('A record in a web interface of Kafka, with {topic}, {partition} and {offset} in it.'),
  }),
});

export type Status = z.infer<typeof statusSchema>;
