import * as z from 'zod';
import { topicRoles } from '../settings/topics.ts';
import { detectorIds } from '../verdicts/detectors.ts';
import { notificationStatusSchema } from './notifications.ts';

/* `GET /status`: the health of the server. */

const count = z.int().nonnegative();

const partitionStatusSchema = z.object({
  partition: z.int(),
  nextOffset: count.describe('Next offset to read.'),
  lag: count.nullable().describe('Records not read yet; null before the first ones are read.'),
  setAside: count.describe('Records that could not be stored and became dead letters.'),
  latestSetAside: z
    .object({ offset: count, reason: z.string(), detail: z.string(), at: z.number() })
    .nullable()
    .describe('The latest of them: its offset and why it was not stored.'),
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
    reason: z.string().nullable().describe('Why the log is down.'),
    topics: z.array(
      z.object({
        role: z.enum(topicRoles),
        name: z.string(),
        read: z.boolean().describe('Whether the server reads the topic; for others, only the name is known.'),
        partitions: z.array(partitionStatusSchema),
      }),
    ),
    deadLetters: z
      .array(
        z.object({
          topic: z.string().describe('The topic of the records.'),
          reason: z.string().describe('The error code.'),
          count,
          latest: z.object({
            partition: count.nullable(),
            offset: count.nullable(),
            at: z.number().describe('When it became a dead letter, epoch ms.'),
          }),
        }),
      )
      .describe(
        'Records that workers could not process, or servers could not store, since the database was created; the latest first.',
      ),
  }),
  database: z.object({
    kind: z.enum(['pglite', 'postgres']),
    version: z.string(),
    bytes: count.describe('Size of the tables.'),
    verdicts: count,
    incidents: count,
    sessions: count,
    oldestAt: z.number().nullable().describe('Time of the oldest stored verdict, epoch ms.'),
  }),
  retention: z.object({
    days: z.number().nullable(),
    megabytes: z.number().nullable(),
    dropped: count.describe('Incidents deleted by retention so far.'),
    lastRunAt: z.number().nullable(),
  }),
  detectors: z
    .array(
      z.object({
        id: z.enum(detectorIds),
        on: z.boolean(),
        reason: z.string().nullable().describe('Why it is off although the settings enable it.'),
      }),
    )
    .describe('Under the effective settings.'),
  judge: z
    .object({
      checks: count,
      failed: count.describe('Errors, timeouts and malformed answers.'),
      since: z.number().describe('Since when they are counted, epoch ms: half an hour, or longer.'),
      failing: z.boolean().describe('More than half of them failed, and more than five.'),
    })
    .nullable()
    .describe(
      'The latest semantic checks; null if there were none, or if workers run in other processes, whose metrics tell.',
    ),
  live: z.object({
    clients: count,
    sequence: count.describe('Number of the latest change.'),
    dropped: count.describe('Changes not sent to clients individually, because there were too many.'),
  }),
  backtests: z.object({ queued: count, running: count }),
  notifications: z
    .array(notificationStatusSchema)
    .describe('Receivers of messages about incidents, and their delivery status.'),
  links: z.object({
    grafana: z.string().nullable().describe('URL of the Grafana dashboard; null if not configured.'),
    kafka: z
      .string()
      .nullable()
      .describe('URL of a record in a Kafka UI, with the placeholders {topic}, {partition} and {offset}.'),
  }),
});

export type Status = z.infer<typeof statusSchema>;
