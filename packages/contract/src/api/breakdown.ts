import { z } from 'zod';
import { incidentFilterSchema } from './incidents.ts';

/** `GET /stats?groupBy`: what loops used, by agent, model or whatever else tells them apart. */

export const breakdownDimensions = ['agent', 'model', 'tool', 'tenant', 'agentVersion', 'detector'] as const;
const dimensionNames = [...breakdownDimensions, 'tag:NAME'].join(', ');

export type BreakdownDimension = (typeof breakdownDimensions)[number] | `tag:${string}`;

/** Whether statistics can be grouped by it. */
export function isBreakdownDimension(name: string): name is BreakdownDimension {
  return (breakdownDimensions as readonly string[]).includes(name) || /^tag:./.test(name);
}

export const breakdownSorts = ['usd', 'tokens', 'calls', 'incidents', 'sessions', 'increase'] as const;
export type BreakdownSort = (typeof breakdownSorts)[number];

const count = z.int().nonnegative();

export const breakdownAmountsSchema = z.object({
  incidents: count.describe('Found in the time.'),
  sessions: count.describe('Distinct sessions of these incidents.'),
  calls: count.describe('Tool calls in loops.'),
  tokens: z.number().nonnegative().nullable().describe('null where no producer reports any.'),
  usd: z
    .number()
    .nonnegative()
    .nullable()
    .describe('US dollars where the price is known; null where none is.'),
  unpriced: count.describe('Incidents that report tokens of a model without a price: usd leaves them out.'),
});

const change = z.number().nullable();
const comparedSchema = breakdownAmountsSchema.extend({
  previous: breakdownAmountsSchema.optional().describe('In the period before; with compare=previous.'),
  change: z
    .object({ incidents: change, sessions: change, calls: change, tokens: change, usd: change })
    .optional()
    .describe(
      'Relative to the period before, 0.5 for half as many more; null where there was nothing before.',
    ),
});

export const breakdownSchema = z.object({
  groupBy: z.string(),
  from: z.number(),
  to: z.number(),
  previous: z
    .object({ from: z.number(), to: z.number() })
    .nullable()
    .describe('The period before of the same length; null without compare=previous.'),
  groups: z.array(
    comparedSchema.extend({ value: z.string().nullable().describe('null where it is not known.') }),
  ),
  other: comparedSchema
    .extend({ values: z.int().positive().describe('How many values it stands for.') })
    .nullable()
    .describe('All groups beyond the limit; null where there are none.'),
  total: comparedSchema,
});

/** What `/stats` takes with `groupBy`: the filters of `/incidents` as well. */
export const breakdownQuerySchema = z
  .strictObject({
    groupBy: z
      .string()
      .max(1100)
      .refine(isBreakdownDimension, `one of ${dimensionNames}`)
      .describe(
        `Sums by one of ${dimensionNames} instead of by time; the filters of /incidents narrow them.`,
      ),
    compare: z.enum(['previous']).describe('With the period before of the same length. Needs groupBy.'),
    ...incidentFilterSchema.shape,
  })
  .partial();

export type Breakdown = z.infer<typeof breakdownSchema>;
export type BreakdownQuery = z.infer<typeof breakdownQuerySchema>;
export type BreakdownAmounts = z.infer<typeof breakdownAmountsSchema>;
