import * as z from 'zod';
import { readToSchema } from '../verdicts/live.ts';
import { deploySchema } from './deploys.ts';
import { incidentItemSchema } from './incidents.ts';
import { byDetectorSchema, detectorStatsSchema, wasteSchema } from './stats.ts';

/* `GET /overview`: the data of the overview page, from one snapshot. */

const count = z.int().nonnegative();

const detectionLatencySchema = z
  .object({ p50Ms: z.number(), p95Ms: z.number(), incidents: z.int().positive() })
  .describe('From the event to the first verdict, to two digits; excludes incidents of recordings.');

const loopAmountsSchema = z.object({
  loops: count,
  sessions: count.describe('Sessions that were active, looping or not.'),
  wastedUsd: z.number().nonnegative().nullable().describe('null if no price is known.'),
  usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('What these sessions cost over their whole length; null if no price is known.'),
});

const loopRateSchema = loopAmountsSchema
  .extend({
    previous: loopAmountsSchema
      .nullable()
      .describe('The period of the same length before; null if no session was active in it.'),
    stepMs: z.int().positive().describe('Length of the steps.'),
    steps: z
      .array(z.object({ at: z.number(), loops: count, sessions: count }))
      .describe('At most 20, oldest first, without gaps.'),
    agents: z
      .array(z.object({ agent: z.string(), loops: z.array(count).describe('By step.') }))
      .describe('Of the agents in openItems.'),
  })
  .describe('Loops with the sessions they are among, from which follow their rates.');

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
  rate: loopRateSchema,
  deploys: z
    .array(deploySchema)
    .describe('Versions of agents that started to run in the time range, newest first, at most 20.'),
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
    .describe(
      'About 60 buckets, oldest first, without gaps; the first one may begin before `from`, but counts only what lies in the range.',
    ),
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

export type LoopRate = z.infer<typeof loopRateSchema>;
export type LoopAmounts = z.infer<typeof loopAmountsSchema>;
export type Overview = z.infer<typeof overviewSchema>;
export type OverviewQuery = z.infer<typeof overviewQuerySchema>;
