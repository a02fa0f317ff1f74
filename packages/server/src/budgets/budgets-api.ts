import { type Budget, budgetQuerySchema } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import type { GuardSettings } from '../guard/guard-settings.ts';
import { parseQuery } from '../http/parse-query.ts';
import { methodNotAllowed } from '../http/problem.ts';
import { listBudgets } from './list-budgets.ts';

export interface BudgetsApiOptions {
  readonly database: Database;
  readonly guardSettings: GuardSettings;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
}

/** `GET /budgets`. */
export function budgetsApi({ database, guardSettings, now }: BudgetsApiOptions): Router {
  const router = Router();
  router
    .route('/budgets')
    .get(async (request, response) => {
      const query = parseQuery(request.query, budgetQuerySchema);
      const budgets: Budget[] = await listBudgets(database, await guardSettings.get(), query, now());
      response.json({ budgets });
    })
    .all(methodNotAllowed('GET'));
  return router;
}
