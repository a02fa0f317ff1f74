import { type Overview, overviewQuerySchema } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';
import { parseQuery } from '../http/parse-query.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { readOverview } from './overview.ts';
import { SharedOverview } from './shared-overview.ts';

export interface OverviewApiOptions {
  readonly database: Database;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly lag: () => number | null;
}

/** `GET /overview`. */
export function overviewApi({ database, now, lag }: OverviewApiOptions): Router {
  const router = Router();
  const shared = new SharedOverview((query, at) => readOverview(database, query, at), now);
  router
    .route('/overview')
    .get(async (request, response) => {
      const query = parseQuery(request.query, overviewQuerySchema);
      if (query.from !== undefined && query.lastMs !== undefined)
        throw new HttpProblem(400, 'lastMs: takes the place of from; give one of them');
      const overview: Overview = { ...(await shared.get(query)), lag: lag() };
      response.json(overview);
    })
    .all(methodNotAllowed('GET'));
  return router;
}
