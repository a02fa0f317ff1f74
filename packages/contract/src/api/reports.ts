import * as z from 'zod';
import { weekRange } from '../lib/week.ts';
import { comparedAmountsSchema } from './breakdown.ts';
import { incidentItemSchema } from './incidents.ts';

/* `GET /reports/weekly`: what happened in a week, for a page and for a message. */

const week = z
  .string()
  .refine((name) => weekRange(name) !== undefined, 'must be a week such as 2026-W48')
  .meta({ pattern: '^\\d{4}-W\\d{2}$' });

export const weeklyReportQuerySchema = z
  .strictObject({ week: week.describe('ISO 8601 week, UTC. Default: the latest complete one.') })
  .partial();

export const weeklyReportSchema = z.object({
  week: z.string(),
  from: z.number().describe('Monday 00:00 UTC, epoch ms.'),
  to: z.number(),
  total: comparedAmountsSchema,
  worse: z
    .array(comparedAmountsSchema.extend({ value: z.string().describe('The agent.') }))
    .describe(
      'Agents with clearly more loops per session than in the week before, at most 5: of at least 20 sessions in both weeks, with 95% intervals that do not overlap.',
    ),
  loops: z.array(incidentItemSchema).describe('The five most expensive loops.'),
});

export type WeeklyReport = z.infer<typeof weeklyReportSchema>;
