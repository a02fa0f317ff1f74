import { z } from 'zod';
import { detectorIds } from '../verdicts/detectors.ts';
import { incidentStatsSchema } from '../verdicts/live.ts';

/** `GET /stats?from&to&bucketMs`: what was found in a time, by the wall clock of its finding. */

const count = z.int().nonnegative();
export const byDetectorSchema = z.partialRecord(z.enum(detectorIds), count);

const latencySchema = z
  .object({ p50Ms: z.number(), p95Ms: z.number(), p99Ms: z.number(), verdicts: z.int().positive() })
  .describe(
    'From event time to detection; verdicts of recordings, whose times are not from now, are left out.',
  );

export const wasteSchema = z.object({
  calls: count.describe('Tool calls in loops.'),
  tokens: z.number().nonnegative().nullable().describe('null where no producer reports any.'),
  usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('US dollars of those whose price is known; null where none is.'),
  unpriced: count.describe('Incidents that report tokens of a model without a price: usd leaves them out.'),
});

export const statsBucketSchema = z.object({
  at: z.number().describe('Where it begins, epoch ms.'),
  verdicts: byDetectorSchema,
  incidents: byDetectorSchema.describe('Found in it.'),
  latency: latencySchema.nullable(),
  activeSessions: count.describe('Sessions whose first to latest event overlap it, by event time.'),
  wasted: wasteSchema.describe('Of the incidents found in it.'),
});

export const detectorStatsSchema = z.object({
  detector: z.enum(detectorIds),
  incidents: count,
  open: count.describe('Quiet and muted ones and false positives left out.'),
  acknowledged: count,
  falsePositives: count,
  falsePositiveRate: z
    .number()
    .min(0)
    .max(1)
    .nullable()
    .describe('False positives among those that were judged; null while none was.'),
  wasted: wasteSchema,
});

export const statsSchema = z.object({
  from: z.number(),
  to: z.number(),
  bucketMs: z.int().positive(),
  buckets: z.array(statsBucketSchema).describe('Oldest first, without gaps, at most 500.'),
  latency: latencySchema.nullable().describe('Over the whole time.'),
  wasted: wasteSchema,
  detectors: z.array(detectorStatsSchema).describe('Over the whole time; all detectors.'),
  lag: count
    .nullable()
    .describe('Records of the topics that the server has not read yet; null before the first.'),
  activeSessions: count.describe('Live ones, now; those that are quiet left out.'),
  current: incidentStatsSchema.describe('Over everything that is stored.'),
});

export const statsQuerySchema = z
  .strictObject({
    from: z.number().describe('Epoch ms, or RFC 3339; default: an hour before `to`.'),
    to: z.number().describe('Default: now.'),
    bucketMs: z.int().min(1000).describe('Default: a round time that makes about 60 buckets.'),
  })
  .partial();

export type Stats = z.infer<typeof statsSchema>;
export type StatsBucket = z.infer<typeof statsBucketSchema>;
export type DetectorStats = z.infer<typeof detectorStatsSchema>;
export type StatsQuery = z.infer<typeof statsQuerySchema>;
