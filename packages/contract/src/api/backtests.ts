import { z } from 'zod';
import { detectorIds } from '../verdicts/detectors.ts';
import { verdictActions } from '../verdicts/verdict.ts';

/** `/backtests`: what recorded sessions would have come to under other settings. */

/** Body of `POST /backtests`. */
export const backtestRequestSchema = z.strictObject({
  variants: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(80),
        set: z
          .record(z.string(), z.unknown())
          .default({})
          .describe('Over the effective settings of the server, by dotted path.'),
      }),
    )
    .min(1)
    .max(8)
    .describe('Settings to compare. One with an empty `set` shows what holds now.'),
  sessions: z
    .strictObject({
      ids: z.array(z.string().min(1)).max(5000).optional(),
      incidentIds: z.array(z.string().min(1)).max(5000).optional().describe('The sessions of these.'),
      labelled: z
        .boolean()
        .optional()
        .describe('true: all sessions with an incident that is acknowledged or a false positive.'),
      from: z.number().optional().describe('Sessions whose latest event lies in this time, epoch ms.'),
      to: z.number().optional(),
      limit: z.int().min(1).max(5000).default(500),
    })
    .refine(
      ({ ids, incidentIds, labelled, from, to }) =>
        [ids, incidentIds, labelled, from, to].some((value) => value !== undefined),
      'say which sessions: ids, incidentIds, labelled, from or to',
    )
    .describe('What is given adds up; the latest first up to `limit`.'),
});

export const backtestStatuses = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;

const hitSchema = z.object({
  detector: z.enum(detectorIds),
  rule: z.string().nullable().describe('Of a detector with several.'),
  eventIndex: z.int().nonnegative(),
  count: z.int().nonnegative(),
  action: z.enum(verdictActions).describe('The strongest.'),
  reason: z.string(),
});

const sessionResultSchema = z.object({
  sessionId: z.string(),
  label: z
    .enum(['loop', 'not_loop'])
    .nullable()
    .describe(
      'loop: an incident of it is acknowledged. not_loop: else, one is a false positive. null: unjudged.',
    ),
  events: z.int().nonnegative(),
  complete: z.boolean().describe('false: its first events are no longer in the log.'),
  hits: z.array(z.array(hitSchema)).describe('By variant, in their order: the incidents that would open.'),
});

const share = z.number().min(0).max(1).nullable().describe('null: of nothing.');

const variantResultSchema = z.object({
  name: z.string(),
  configHash: z.string(),
  incidents: z.int().nonnegative(),
  flagged: z.int().nonnegative().describe('Sessions with at least one loop.'),
  byDetector: z.partialRecord(z.enum(detectorIds), z.int().positive()),
  truePositives: z.int().nonnegative().describe('Of the labelled sessions; so the next three.'),
  falsePositives: z.int().nonnegative(),
  falseNegatives: z.int().nonnegative(),
  trueNegatives: z.int().nonnegative(),
  precision: share,
  recall: share,
});

export const backtestResultSchema = z.object({
  variants: z.array(variantResultSchema),
  sessions: z.array(sessionResultSchema),
  missing: z.array(z.string()).describe('Sessions of which the log holds nothing any more.'),
});

/** Without its result: in lists and live messages. */
export const backtestJobSchema = z.object({
  id: z.string(),
  status: z.enum(backtestStatuses),
  progress: z.object({
    done: z.int().nonnegative(),
    total: z.int().nonnegative(),
    events: z.int().nonnegative(),
  }),
  variants: z.array(z.string()),
  createdAt: z.number(),
  createdBy: z.string(),
  finishedAt: z.number().nullable(),
  error: z.string().nullable(),
});

/** `GET /backtests/:id`, and of POST (202) and DELETE, which cancels. */
export const backtestSchema = backtestJobSchema.extend({ result: backtestResultSchema.nullable() });

export const backtestListSchema = z.object({ items: z.array(backtestJobSchema) });

export type BacktestRequest = z.infer<typeof backtestRequestSchema>;
export type BacktestJob = z.infer<typeof backtestJobSchema>;
export type BacktestResult = z.infer<typeof backtestResultSchema>;
export type Backtest = z.infer<typeof backtestSchema>;
export type BacktestList = z.infer<typeof backtestListSchema>;
export type BacktestHit = z.infer<typeof hitSchema>;
