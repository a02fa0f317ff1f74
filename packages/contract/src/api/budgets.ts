import * as z from 'zod';
import { budgetScopes } from '../verdicts/budget.ts';
import { evidenceSchemas } from '../verdicts/evidence.ts';
import { sessionSummarySchema } from '../verdicts/session-summary.ts';

/* `GET /budgets`: what is used of the budgets that apply now. */

export const budgetQuerySchema = z
  .strictObject({
    session: z.string().min(1).max(1024).describe('Id of a session: only its own budget.'),
  })
  .partial();

export const budgetSchema = z.object({
  per: z.enum(budgetScopes),
  subject: z.string().describe('The agent, the tenant, the day (YYYY-MM-DD, UTC), or the id of the session.'),
  sessionTitle: sessionSummarySchema.shape.title,
  uses: evidenceSchemas.budget.shape.uses,
  unknown: z
    .array(
      z.object({
        resource: z.enum(['tokens', 'usd']),
        why: z
          .enum(['no_usage', 'no_price'])
          .describe('The agent reports no usage, or its model has no price.'),
      }),
    )
    .optional()
    .describe('Limits of the session that cannot take effect, because its use is not known.'),
});

export const budgetsSchema = z.object({
  budgets: z
    .array(budgetSchema)
    .describe(
      'Highest share used first, at most 20: of the current day (UTC), or of the live sessions with the latest events. Empty without a budget.',
    ),
});

export type Budget = z.infer<typeof budgetSchema>;
export type BudgetQuery = z.infer<typeof budgetQuerySchema>;
