import * as z from 'zod';
import { incidentFilterSchema } from './incidents.ts';

/* `GET /stats?groupBy`: the cost of loops by agent, model or another dimension. */

export const breakdownDimensions = ['agent', 'model', 'tool', 'tenant', 'agentVersion', 'detector'] as const;
const dimensionNames = [...breakdownDimensions, 'tag:NAME'].join(', ');

export type BreakdownDimension = (typeof breakdownDimensions)[number] | `tag:${string}`;

/** Whether statistics can be grouped by this dimension. */
export function isBreakdownDimension(name: string): name is BreakdownDimension {
  return (breakdownDimensions as readonly string[]).includes(name) || /^tag:./.test(name);
}

export const breakdownSorts = [
  'usd',
  'tokens',
  'calls',
  'incidents',
  'sessions',
  'increase',
  'rate',
  'share',
] as const;
export type BreakdownSort = (typeof breakdownSorts)[number];

const count = z.int().nonnegative();

export const breakdownActivitySchema = z
  .object({
    sessions: count,
    calls: count.describe('Tool calls.'),
    tokens: z.number().nonnegative().nullable().describe('null if no producer reports usage.'),
    usd: z
      .number()
      .nonnegative()
      .nullable()
      .describe('US dollars of sessions with a known price; null if there are none.'),
    unpriced: count.describe('Sessions with tokens of unknown price; usd excludes them.'),
    priced: count.describe('Sessions with a known price.'),
    usdSquares: z
      .number()
      .nonnegative()
      .nullable()
      .describe('Sum of the squares of their US dollars, from which follows how much they vary.'),
  })
  .describe(
    'All sessions that were active in the time range, looping or not, over their whole length; by the latest labels of the session. By tool or detector: all sessions that match the filters, for each group.',
  );

export const breakdownAmountsSchema = z.object({
  incidents: count.describe(
    'Loops detected in the time range; limits and outages only if the filter names their kind.',
  ),
  sessions: count.describe('Distinct sessions of these incidents.'),
  calls: count.describe('Tool calls in loops, each counted once.'),
  tokens: z.number().nonnegative().nullable().describe('null if no producer reports usage.'),
  usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('US dollars of loops with a known price; null if there are none.'),
  unpriced: count.describe('Loops with tokens of unknown price; usd excludes them.'),
  activity: breakdownActivitySchema,
});

const change = z.number().nullable();
export const comparedAmountsSchema = breakdownAmountsSchema.extend({
  previous: breakdownAmountsSchema.optional().describe('The previous period; with compare=previous.'),
  change: z
    .object({ incidents: change, sessions: change, calls: change, tokens: change, usd: change })
    .optional()
    .describe('Relative change from the previous period, 0.5 for 50% more; null if it was zero.'),
});

export const breakdownSchema = z.object({
  groupBy: z.string(),
  from: z.number(),
  to: z.number(),
  previous: z
    .object({ from: z.number(), to: z.number() })
    .nullable()
    .describe('The previous period of the same length; null without compare=previous.'),
  groups: z.array(
    comparedAmountsSchema.extend({ value: z.string().nullable().describe('null if unknown.') }),
  ),
  other: comparedAmountsSchema
    .extend({ values: z.int().positive().describe('Number of values in it.') })
    .nullable()
    .describe('All groups beyond the limit; null if there are none.'),
  total: comparedAmountsSchema,
  apart: z
    .object({ limits: count, outages: count })
    .describe('Incidents in the time range that are no loops, by the same filters.'),
});

/** Query of `/stats` with `groupBy`; also accepts the filters of `/incidents`. */
export const breakdownQuerySchema = z
  .strictObject({
    groupBy: z
      .string()
      .max(1100)
      .refine(isBreakdownDimension, `must be one of ${dimensionNames}`)
      .meta({ pattern: `^(?:${breakdownDimensions.join('|')}|tag:.+)$` })
      .describe(`Totals by one of ${dimensionNames} instead of by time; accepts the filters of /incidents.`),
    compare: z
      .enum(['previous'])
      .describe('Compares with the previous period of the same length. Requires groupBy.'),
    ...incidentFilterSchema.shape,
  })
  .partial();

export type Breakdown = z.infer<typeof breakdownSchema>;
export type BreakdownQuery = z.infer<typeof breakdownQuerySchema>;
export type BreakdownActivity = z.infer<typeof breakdownActivitySchema>;
export type BreakdownAmounts = z.infer<typeof breakdownAmountsSchema>;
