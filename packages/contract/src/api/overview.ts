import { z } from 'zod';
import { readToSchema } from '../verdicts/live.ts';
import { incidentItemSchema } from './incidents.ts';
import { byDetectorSchema, detectorStatsSchema, wasteSchema } from './stats.ts';

/* `GET /overview`: the data of the overview page, from one snapshot. */

const count = z.int().nonnegative();

const detectionLatencySchema = z
  .object({ p50Ms: z.number(), p95Ms: z.number(), incidents: z.int().positive() })
  .describe('From the event to the first verdict, to two digits; excludes incidents of recordings.');

export const overviewSchema = z.object({
  asOf: z.number().describe('Wall clock of the snapshot, epoch ms.'),
  sequence: count.describe('Number of the latest change included, as in live messages.'),
  from: z.number(),
  to: z.number(),
  bucketMs: z.int().positive(),
  firstAt: z
    .number()
    .nullable()
    .describe('Start of the earliest session or incident; null if there is none.'),
  open: count.describe('Open incidents from any time; excludes muted ones and false positives.'),
  quiet: count.describe('Unresolved incidents of quiet sessions; excludes muted ones and false positives.'),
  openByDetector: byDetectorSchema,
  openItems: z
    .array(incidentItemSchema)
    .describe('Open loops, newest first, at most 8; limits and outages are not in it.'),
  found: count.describe('Loops detected in the time range; limits and outages count apart.'),
  recovered: count.describe('Loops that the session left on its own.'),
  limits: count.describe('Limits reached in the time range, budgets included.'),
  outages: count.describe('Outages in the time range.'),
  wasted: wasteSchema.describe('Waste of the loops detected in the time range.'),
  latency: detectionLatencySchema.nullable(),
  liveSessions: count,
  lag: count
    .nullable()
    .describe('Records that the server has not read yet; null before the first one is read.'),
  readTo: readToSchema,
  buckets: z
    .array(
      z.object({
        at: z.number().describe('Start of the bucket, epoch ms.'),
        incidents: byDetectorSchema.describe('Incidents detected in the bucket.'),
        latency: detectionLatencySchema.nullable(),
        activeSessions: count.describe('Sessions whose events span the bucket, by event time.'),
        wasted: wasteSchema,
      }),
    )
    .describe('About 60 buckets, oldest first, without gaps.'),
  detectors: z
    .array(detectorStatsSchema)
    .describe('All detectors, over the time range; `open` counts all open incidents.'),
});

export const overviewQuerySchema = z
  .strictObject({
    from: z
      .number()
      .describe(
        'Epoch ms or RFC 3339. Default: the shortest of 5, 15, 60 and 360 minutes before `to` that reaches the first data, at most 360.',
      ),
    to: z.number().describe('Default: now.'),
    lastMs: z.int().min(60_000).describe('Instead of `from`: this long before `to`.'),
  })
  .partial();

export type Overview = z.infer<typeof overviewSchema>;
export type OverviewQuery = z.infer<typeof overviewQuerySchema>;
