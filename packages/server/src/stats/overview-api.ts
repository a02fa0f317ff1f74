import { type Overview, type OverviewQuery, overviewQuerySchema } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';

import { parseQuery } from '../http/parse-query.ts';
import { HttpProblem, methodNotAllowed } from '../http/problem.ts';
import { readOverview } from './overview.ts';
import { SharedResult } from './shared-result.ts';

export interface OverviewApiOptions {
  readonly database: Database;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly feeds: { readonly lag: number | null };
  /** While records are waiting: the timestamp up to which all are read, epoch ms; else null. */
  readonly readTo: () => number | null;
}

/** `GET /overview`. */
export function overviewApi({ database, now, feeds, readTo }: OverviewApiOptions): Router {
  const router = Router();
  const shared = new SharedResult({
    read: async (query: OverviewQuery, at): Promise<Overview> => {
      // They describe this snapshot: later ones would call old figures complete.
      const progress = { lag: feeds.lag, readTo: readTo() };
      return { ...(await readOverview(database, query, at)), ...progress };
    },
    now,
    minAgeMs: 500,
    maxShare: 0.1,
    maxAgeMs: 4_000,
  });
  router
    .route('/overview')
    .get(async (request, response) => {
      const query = parseQuery(request.query, overviewQuerySchema);
      if (query.from !== undefined && query.lastMs !== undefined)
        throw new HttpProblem(400, 'lastMs: cannot be combined with from');
      response.json(await shared.get(query));
    })
    .all(methodNotAllowed('GET'));
  return router;
}
