import type { Stats } from '@loopwatch/contract/api';
import type { Database } from '@loopwatch/storage';
import { Router } from 'express';

import { methodNotAllowed } from '../http/problem.ts';
import { countLiveSessions } from './active-sessions.ts';
import { breakdown } from './breakdown.ts';
import type { SharedStats } from './current-stats.ts';
import { rangeStats } from './range-stats.ts';
import { parseStatsQuery } from './stats-query.ts';

export interface StatsApiOptions {
  readonly database: Database;
  /** Wall clock, epoch ms. */
  readonly now: () => number;
  readonly stats: Pick<SharedStats, 'get'>;
  readonly feeds: { readonly lag: number | null };
}

/** `GET /stats`. */
export function statsApi({ database, now, stats, feeds }: StatsApiOptions): Router {
  const router = Router();
  router
    .route('/stats')
    .get(async (request, response) => {
      const at = now();
      const query = parseStatsQuery(request.query, at);
      if ('groupBy' in query) {
        response.json(await breakdown(database, query, at));
        return;
      }
      const { range } = query;
      const body: Stats = {
        ...range,
        ...(await rangeStats(database, range, at)),
        lag: feeds.lag,
        activeSessions: await countLiveSessions(database, at),
        current: await stats.get({}),
      };
      response.json(body);
    })
    .all(methodNotAllowed('GET'));
  return router;
}
