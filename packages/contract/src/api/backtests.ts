import * as z from 'zod';
import { detectorIds } from '../verdicts/detectors.ts';
import { verdictActions } from '../verdicts/verdict.ts';
import { oneRequired } from './require-one.ts';

/* `/backtests`: results of alternative settings on recorded sessions. */

/** Body of `POST /backtests`. */
export const backtestRequestSchema = z.strictObject({
  variants: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(80),
        set: z
          .record(z.string(), z.unknown())
          .default({})
          .describe('Overrides of the effective server settings, by dotted path.'),
      }),
    )
    .min(1)
    .max(8)
    .describe('Settings to compare. An empty `set` means the current settings.'),
  sessions: z
    .strictObject({
      ids: z.array(z.string().min(1)).max(5000).optional(),
      incidentIds: z.array(z.string().min(1)).max(5000).optional().describe('Sessions of these incidents.'),
      labelled: z
        .boolean()
        .optional()
        .describe('true: all sessions with an incident that is acknowledged or a false positive.'),
      from: z.number().optional().describe('Sessions whose latest event is in this time range, epoch ms.'),
      to: z.number().optional(),
      limit: z.int().min(1).max(5000).default(500),
    })
    .refine(
      ({ ids, incidentIds, labelled, from, to }) =>
        [ids, incidentIds, labelled, from, to].some((value) => value !== undefined),
      'requires at least one of ids, incidentIds, labelled, from and to',
    )
    .meta(oneRequired('ids', 'incidentIds', 'labelled', 'from', 'to'))
    .describe('All sessions that match any of these, latest first, up to `limit`.'),
});

export const backtestStatuses = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;

const hitSchema = z.object({
  detector: z.enum(detectorIds),
  rule: z.string().nullable().describe('The rule that matched, for detectors with several.'),
  eventIndex: z.int().nonnegative(),
  count: z.int().nonnegative(),
  action: z.enum(verdictActions).describe('The strongest action.'),
  reason: z.string(),
});

const sessionResultSchema = z.object({
  sessionId: z.string(),
  label: z
    .enum(['loop', 'not_loop'])
    .nullable()
    .describe(
      'loop: it has an acknowledged incident. not_loop: otherwise, it has a false positive. null: not triaged.',
    ),
  events: z.int().nonnegative(),
  complete: z.boolean().describe('false: the first events are no longer in the log.'),
  hits: z.array(z.array(hitSchema)).describe('The incidents that would open, by variant in their order.'),
});

const share = z.number().min(0).max(1).nullable().describe('null if undefined: nothing to divide by.');

const variantResultSchema = z.object({
  name: z.string(),
  configHash: z.string(),
  incidents: z.int().nonnegative(),
  flagged: z.int().nonnegative().describe('Sessions with at least one loop.'),
  byDetector: z.partialRecord(z.enum(detectorIds), z.int().positive()),
  truePositives: z.int().nonnegative().describe('Counts labelled sessions, like the next three fields.'),
  falsePositives: z.int().nonnegative(),
  falseNegatives: z.int().nonnegative(),
  trueNegatives: z.int().nonnegative(),
  precision: share,
  recall: share,
});

export const backtestResultSchema = z.object({
  variants: z.array(variantResultSchema),
  sessions: z.array(sessionResultSchema),
  missing: z.array(z.string()).describe('Sessions without any events left in the log.'),
});

/** A backtest without its result, for lists and live messages. */
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

/** `GET /backtests/:id`; also the response of POST (202) and DELETE, which cancels. */
export const backtestSchema = backtestJobSchema.extend({ result: backtestResultSchema.nullable() });

export const backtestListSchema = z.object({ items: z.array(backtestJobSchema) });

export type BacktestRequest = z.infer<typeof backtestRequestSchema>;
export type BacktestJob = z.infer<typeof backtestJobSchema>;
export type BacktestResult = z.infer<typeof backtestResultSchema>;
export type Backtest = z.infer<typeof backtestSchema>;
export type BacktestList = z.infer<typeof backtestListSchema>;
export type BacktestHit = z.infer<typeof hitSchema>;
