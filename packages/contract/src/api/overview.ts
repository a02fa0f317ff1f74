import { z } from 'zod';
import { incidentItemSchema } from './incidents.ts';
import { byDetectorSchema, detectorStatsSchema, wasteSchema } from './stats.ts';

/** `GET /overview`: everything the overview shows, of one moment. */

const count = z.int().nonnegative();

const detectionLatencySchema = z
  .object({ p50Ms: z.number(), p95Ms: z.number(), incidents: z.int().positive() })
  .describe('From the event to its first verdict, to two digits; incidents of recordings are left out.');

export const overviewSchema = z.object({
  asOf: z.number().describe('Wall clock of the one moment that all of it is of, epoch ms.'),
  sequence: count.describe('Number of the latest change in it, as in live messages.'),
  from: z.number(),
  to: z.number(),
  bucketMs: z.int().positive(),
  firstAt: z.number().nullable().describe('Start of the earliest session or incident; null: there is none.'),
  open: count.describe(
    'Incidents that are open, whenever they were found; muted ones and false positives left out.',
  ),
  quiet: count.describe(
    'Neither resolved nor open, because their sessions have gone quiet; muted ones and false positives left out.',
  ),
  openByDetector: byDetectorSchema,
  openItems: z.array(incidentItemSchema).describe('Open ones, newest first, at most 8.'),
  found: count.describe('Incidents found in the time.'),
  recovered: count.describe('Those of them whose session left the loop by itself.'),
  wasted: wasteSchema.describe('Of the incidents found in the time.'),
  latency: detectionLatencySchema.nullable(),
  liveSessions: count,
  lag: count.nullable().describe('Records that the server has not read yet; null before the first.'),
  buckets: z
    .array(
      z.object({
        at: z.number().describe('Where it begins, epoch ms.'),
        incidents: byDetectorSchema.describe('Found in it.'),
        latency: detectionLatencySchema.nullable(),
        activeSessions: count.describe('Sessions whose first to latest event overlap it, by event time.'),
        wasted: wasteSchema,
      }),
    )
    .describe('Oldest first, without gaps, about 60.'),
  detectors: z
    .array(detectorStatsSchema)
    .describe('Found in the time; `open` counts all that are open. All detectors.'),
});

export const overviewQuerySchema = z
  .strictObject({
    from: z
      .number()
      .describe('Epoch ms, or RFC 3339; default: as far back as there is data, 5 minutes to 6 hours.'),
    to: z.number().describe('Default: now.'),
    lastMs: z.int().min(60_000).describe('In place of `from`: this long before `to`.'),
  })
  .partial();

export type Overview = z.infer<typeof overviewSchema>;
export type OverviewQuery = z.infer<typeof overviewQuerySchema>;
