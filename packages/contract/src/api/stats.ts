import * as z from 'zod';
import { detectorIds } from '../verdicts/detectors.ts';
import { incidentStatsSchema } from '../verdicts/live.ts';

/* `GET /stats?from&to&bucketMs`: verdicts and incidents in a time range, by the time of their events. */

const count = z.int().nonnegative();
export const byDetectorSchema = z.partialRecord(z.enum(detectorIds), count);

const latencySchema = z
  .object({ p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number(), verdicts: z.int().positive() })
  .describe(
    'From event time to detection; excludes verdicts of recordings, whose event times are in the past.',
  );

export const wasteSchema = z.object({
  calls: count.describe('Tool calls in loops, each counted once even if loops overlap.'),
  tokens: z.number().nonnegative().nullable().describe('null if no producer reports usage.'),
  usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('US dollars of loops with a known price; null if there are none.'),
  unpriced: count.describe('Loops with tokens of unknown price; usd excludes them.'),
});

export const statsBucketSchema = z.object({
  at: z.number().describe('Start of the bucket, epoch ms.'),
  verdicts: byDetectorSchema,
  incidents: byDetectorSchema.describe('Incidents detected in the bucket.'),
  latency: latencySchema.nullable(),
  activeSessions: count.describe('Sessions whose events span the bucket, by event time.'),
  wasted: wasteSchema.describe('Cost of the incidents detected in the bucket.'),
});

export const detectorStatsSchema = z.object({
  detector: z.enum(detectorIds),
  incidents: count,
  open: count.describe('Excludes quiet and muted incidents and false positives.'),
  acknowledged: count,
  falsePositives: count,
  falsePositiveRate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('Share of false positives among the triaged incidents; null if there are none.'),
  wasted: wasteSchema,
});

export const statsSchema = z.object({
  from: z.number(),
  to: z.number(),
  bucketMs: z.int().positive(),
  buckets: z.array(statsBucketSchema).describe('At most 500 buckets, oldest first, without gaps.'),
  latency: latencySchema.nullable().describe('Over the whole time range.'),
  wasted: wasteSchema,
  detectors: z.array(detectorStatsSchema).describe('All detectors, over the whole time range.'),
  lag: count
    .nullable()
    .describe('Records that the server has not read yet; null before the first one is read.'),
  activeSessions: count.describe('Sessions that are live now; excludes quiet ones.'),
  current: incidentStatsSchema.describe('Over all stored incidents.'),
});

export const statsQuerySchema = z
  .strictObject({
    from: z.number().describe('Epoch ms or RFC 3339. Default: an hour before `to`.'),
    to: z.number().describe('Default: now.'),
    bucketMs: z.int().min(1000).describe('Default: a round duration that results in about 60 buckets.'),
  })
  .partial();

export type Stats = z.infer<typeof statsSchema>;
export type StatsBucket = z.infer<typeof statsBucketSchema>;
export type DetectorStats = z.infer<typeof detectorStatsSchema>;
export type StatsQuery = z.infer<typeof statsQuerySchema>;
